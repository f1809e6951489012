package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// holding are the gates that hold a promotion up: those that are not open, of one
// that waits for its turn or for the merge of its pull request. While its steps
// run, and once it has landed, no gate does.
func holding(p *promotion.Promotion) []promotion.Gate {
	if p.Phase != promotion.PhaseQueued && !pullOpen(p) {
		return nil
	}
	var shut []promotion.Gate
	for _, g := range p.Gates {
		if g.Status != promotion.GateOpen {
			shut = append(shut, g)
		}
	}
	return shut
}

// asking is the first of the gates at which somebody has to answer, or nil. A
// freeze and a block are none: they were meant, and are shown for themselves.
func asking(gates []promotion.Gate) *promotion.Gate {
	i := slices.IndexFunc(gates, func(g promotion.Gate) bool {
		return g.Person && g.Status != promotion.GateOpen && g.Name != promotion.GateFreeze && g.Name != promotion.GateBlock
	})
	if i < 0 {
		return nil
	}
	return &gates[i]
}

// pullOpen reports whether p waits while its pull request is open.
func pullOpen(p *promotion.Promotion) bool {
	return p.Phase == promotion.PhaseWaiting && p.PullRequest != nil && p.PullRequest.State == "open"
}

// verifying reports whether p has landed and waits for what others say of it.
func verifying(p *promotion.Promotion) bool { return p.Verify != nil && !p.Phase.Terminal() }

// mergesItself reports whether the app merges p's pull request.
func mergesItself(p *promotion.Promotion) bool {
	return p.Plan != nil && slices.ContainsFunc(p.Plan.Steps, func(s promotion.Step) bool { return s.Uses == "git-merge-pr" })
}

// needsPerson reports whether p waits for somebody: to answer at a gate or, when
// all gates are open, to merge or close its pull request. One that the app merges
// needs somebody when GitHub refused: what it asks for is mostly a person's to give.
func needsPerson(p *promotion.Promotion) bool {
	if held := holding(p); len(held) > 0 {
		return asking(held) != nil
	}
	return pullOpen(p) && (!mergesItself(p) || p.MergeTried)
}

// waitsSince is when p began to wait for what it waits for, as far as is known: a
// new commit voids what was agreed to before.
func waitsSince(p *promotion.Promotion) time.Time {
	since := p.StartedAt
	if since.IsZero() {
		since = p.CreatedAt
	}
	if p.PullRequest != nil && p.PullRequest.HeadAt.After(since) {
		return p.PullRequest.HeadAt
	}
	return since
}

// foremost is the gate to speak of first: one at which somebody has to answer,
// else the first. There is one.
func foremost(held []promotion.Gate) promotion.Gate {
	if g := asking(held); g != nil {
		return *g
	}
	return held[0]
}

// phaseMark is the mark of how p stands.
func phaseMark(p *promotion.Promotion) string {
	held := holding(p)
	switch {
	case needsPerson(p):
		return markPerson
	case len(held) > 0:
		return gateMark(foremost(held))
	case p.Phase == promotion.PhaseSucceeded && p.Priority == promotion.PriorityRollback:
		return markBack
	}
	return phaseMarks[p.Phase]
}

// gateMark is the mark of how a gate stands. One that is shut until a known time
// waits, as one does that others will open.
func gateMark(g promotion.Gate) string {
	switch {
	case g.Status == promotion.GateOpen:
		return markDone
	case g.Name == promotion.GateFreeze:
		return markFrozen
	case g.Status == promotion.GatePending && g.Person:
		return markPerson
	case g.Status == promotion.GatePending || !g.Until.IsZero():
		return markWaiting
	}
	return markBad
}

// gateText is what a gate says, cut to most characters. The core's sentence names
// the hour, which is enough for the day it is written on; here the day stays.
func gateText(g promotion.Gate, now time.Time, most int) string {
	text := shorten(g.Text, most)
	if text == "" {
		text = g.Name + " " + string(g.Status)
	}
	if g.Until.IsZero() {
		return sentence(text)
	}
	full, hour := when(g.Until, now), g.Until.UTC().Format("15:04 UTC")
	switch {
	case strings.Contains(text, g.Until.UTC().Format("2 Jan 15:04 UTC")):
		return sentence(text)
	case strings.Contains(text, hour):
		return sentence(strings.Replace(text, hour, full, 1))
	}
	return sentence(text) + " (" + full + ")"
}

// stands says of a promotion that gates hold up why it waits: its foremost gate,
// and how many more there are. A freeze is shown on the stage already.
func (v *view) stands(held []promotion.Gate) string {
	foremost := foremost(held)
	text, others := gateText(foremost, v.now, v.most.text), -1
	for _, g := range held {
		if g.Name != promotion.GateFreeze || foremost.Name == promotion.GateFreeze {
			others++
		}
	}
	switch {
	case others == 1:
		text += ", and one more gate"
	case others > 1:
		text += ", and " + fmt.Sprint(others) + " more gates"
	}
	return text
}
