package ledger

import (
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// nextStep says what a person can do, or that nobody has to do anything.
func (w *writer) nextStep() string { return boldly("Next:", w.advice()) }

func (w *writer) advice() string {
	p := w.t.Promotion
	held := holding(p)
	switch {
	case len(held) > 0:
		return w.atGates(held)
	case pullOpen(p) && mergesItself(p):
		return w.ofGitHub()
	case needsPerson(p):
		return "merge " + number(w.links, w.repo(), p.PullRequest.Number) + " to promote, or close it to end the promotion."
	case verifying(p):
		return "nothing has to be done. No answer" + until(p.Verify.Until, w.now) + " counts as a no."
	case p.Phase == promotion.PhaseSucceeded:
		return w.following()
	}
	return w.after()
}

// atGates says what opens the gates, and what a merge before that means.
func (w *writer) atGates(held []promotion.Gate) string {
	p := w.t.Promotion
	var ways []string
	for _, g := range held {
		if way := w.opens(g); way != "" && !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	text := "nothing has to be done, it goes on by itself."
	if len(ways) > 0 {
		text = strings.Join(ways, " ")
	}
	if pullOpen(p) && p.Clash == nil {
		text += " Do not merge " + number(w.links, w.repo(), p.PullRequest.Number) + " before: what is merged lands all the same, and the record names the gates."
	}
	return text
}

// opens says what a person can do to open a gate, or "" when time or others will.
func (w *writer) opens(g promotion.Gate) string {
	p := w.t.Promotion
	switch g.Name {
	case promotion.GateConflict:
		return resolve(w.links, w.repo(), p)
	case promotion.GateApprovals:
		return w.toApprove()
	case promotion.GateFreeze:
		return command("unfreeze", p.Pipeline, p.Stage) + " lifts the freeze."
	case promotion.GateBlock:
		return code("/unblock "+w.pipe.handle(p.Freight)) + " lifts the block, " + command("abort", p.Pipeline, p.Stage) + " ends the promotion."
	case promotion.GateHealth:
		return "make healthy again what it comes from: newer freight, or " + code("/rollback STAGE") + "."
	}
	return ""
}

// ofGitHub says what to do about a pull request that the app merges, and that
// GitHub may not let it merge yet.
func (w *writer) ofGitHub() string {
	p := w.t.Promotion
	if !p.MergeTried {
		return "nothing has to be done, it is merged by itself."
	}
	return "give " + number(w.links, w.repo(), p.PullRequest.Number) + " what GitHub asks for there: a review, a green check, a branch without conflicts. Then it is merged by itself. Closing it ends the promotion."
}

// toApprove says how to agree, and how to say no.
func (w *writer) toApprove() string {
	p := w.t.Promotion
	text := "comment " + command("approve", p.Pipeline, p.Stage)
	if pullOpen(p) {
		text = "approve " + number(w.links, w.repo(), p.PullRequest.Number) + " in a review, or comment " + code("/approve") + " there"
	}
	if check := w.t.Effect.Check; check != nil && slices.Contains(check.Actions, "approve") {
		text += ", or press **Approve**"
	}
	text += "; " + command("reject", p.Pipeline, p.Stage) + " says no."
	if of := asked(w.t.Pipeline.Stage(p.Stage)); of != "" {
		text += " It takes " + of + "."
	}
	return text
}

// after says what can be done about a promotion that ended without landing well.
func (w *writer) after() string {
	p := w.t.Promotion
	retry, promote := command("retry", p.Pipeline, p.Stage), command("promote", p.Pipeline, p.Stage)
	switch p.Phase {
	case promotion.PhaseErrored:
		return "mend what is wrong, then comment " + retry + ". Newer freight does not wait for that."
	case promotion.PhaseFailed:
		if p.Landed != "" {
			return command("rollback", p.Pipeline, p.Stage) + " brings back what was verified there before. Newer freight mends it too, and so does a check that turns green."
		}
		return "nothing has to be done. " + retry + " tries again, " + promote + " takes the newest freight."
	case promotion.PhaseRejected:
		return "nothing has to be done. " + promote + " asks anew, or takes newer freight."
	}
	return ""
}

// following names the stages to which a person can bring the freight now.
func (w *writer) following() string {
	if w.t.Pipeline == nil {
		return ""
	}
	var ways []string
	for _, s := range w.t.Pipeline.Stages {
		if slices.Contains(s.After, w.t.Promotion.Stage) && !s.Auto {
			ways = append(ways, command("promote", w.t.Promotion.Pipeline, s.Name))
		}
	}
	if len(ways) == 0 {
		return ""
	}
	shown, hidden := first(ways, 10)
	if hidden > 0 {
		shown = append(slices.Clip(shown), more(hidden))
	}
	return strings.Join(shown, " or ") + ", when it is time."
}
