package ledger

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// busy is what goes on in the stage, or what went wrong there last, and what
// holds the stage itself.
func (v *view) busy(p *pipe, stage string) string {
	lines := v.goesOn(p, stage)
	if len(lines) == 0 {
		return dash
	}
	return strings.Join(lines, "<br>")
}

func (v *view) goesOn(p *pipe, stage string) []string {
	var lines []string
	if one := p.started(stage); one != nil {
		lines = append(lines, v.doing(p, one))
		if held := holding(one); len(held) > 0 && foremost(held).Name == promotion.GateFreeze {
			return lines
		}
	} else if last := p.stuck(stage); last != nil {
		lines = append(lines, phase(last)+": "+v.freight(p, last.Freight)+v.at(last))
	}
	return append(lines, v.marks(p, stage)...)
}

// doing is one started promotion in a few words.
func (v *view) doing(p *pipe, one *promotion.Promotion) string {
	held, freight := holding(one), v.freight(p, one.Freight)+priority(one)
	switch {
	case len(held) > 0:
		return phaseMark(one) + " " + v.stands(held) + ": " + freight + v.pull(one)
	case verifying(one):
		return phase(one) + until(one.Verify.Until, v.now) + ": " + freight
	case needsPerson(one) && mergesItself(one) && one.Message != "":
		return phaseMark(one) + " " + sentence(shorten(one.Message, v.most.text)) + ": " + freight + v.pull(one)
	case needsPerson(one):
		return phase(one) + ": " + freight + ", merge of " + number(v.links, v.repo(), one.PullRequest.Number)
	}
	return phase(one) + ": " + freight + v.at(one)
}

// marks are what people set on the stage.
func (v *view) marks(p *pipe, stage string) []string {
	var lines []string
	if m := v.frozen(p, stage); m != nil {
		lines = append(lines, markFrozen+" frozen"+until(m.Until, v.now))
	}
	if p.stage(stage).Paused != nil {
		lines = append(lines, markPerson+" paused")
	}
	return lines
}

// at is " at step 2 of 5 (yaml-update)": the step under way or the one that
// went wrong. It is empty when no step is.
func (v *view) at(one *promotion.Promotion) string {
	for i, s := range one.Steps {
		switch s.Phase {
		case promotion.StepRunning, promotion.StepWaiting, promotion.StepFailed, promotion.StepErrored:
			return fmt.Sprintf(" at step %d of %d (%s)", i+1, len(one.Steps), Harmless(stepName(one, i)))
		}
	}
	return ""
}

// waiting is the stage's queue in a few words.
func (v *view) waiting(p *pipe, stage string) string {
	queue := p.queued(stage)
	if len(queue) == 0 {
		return dash
	}
	text := markWaiting + " queued: " + v.freight(p, queue[0].Freight)
	if len(queue) > 1 {
		text += " and " + fmt.Sprint(len(queue)-1) + " more"
	}
	return text
}

// enumerate is "dev and staging".
func enumerate(names []string) string { return joinAnd(harmless(names)) }

func harmless(names []string) []string {
	safe := make([]string, len(names))
	for i, name := range names {
		safe[i] = Harmless(shorten(name, 90))
	}
	return safe
}

func joinAnd(safe []string) string {
	if len(safe) < 2 {
		return strings.Join(safe, "")
	}
	return strings.Join(safe[:len(safe)-1], ", ") + " and " + safe[len(safe)-1]
}

// codes is "`e2e` and `argocd/web`".
func codes(names []string) string {
	safe := make([]string, len(names))
	for i, name := range names {
		safe[i] = code(shorten(name, 60))
	}
	return joinAnd(safe)
}
