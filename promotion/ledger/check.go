package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const (
	maxCheckSteps = 60
	maxMessage    = 400 // characters
)

// CheckSummary is the summary of a promotion's check run: where it stands, its
// gates and steps, what it carries, and what a person can do next. It is less
// than 60,000 bytes; GitHub takes 65,535 characters.
func CheckSummary(t promotion.Task, links Links) string {
	p := t.Promotion
	if p == nil {
		return ""
	}
	w := &writer{t: t, links: links, now: p.CreatedAt, pipe: newPipe(p.Pipeline, t.Pipeline, stateOf(t))}
	facts, gates, next := w.facts(), w.gateTable(), w.nextStep()
	out := joined(facts, gates, w.stepTable(maxCheckSteps), next)
	for most := maxCheckSteps / 2; len(out) > maxText && most > 0; most /= 2 {
		out = joined(facts, gates, w.stepTable(most), next)
	}
	return out
}

func joined(sections ...string) string {
	sections = slices.DeleteFunc(sections, func(s string) bool { return s == "" })
	return strings.Join(sections, "\n\n") + "\n"
}

// facts says what goes where and how it stands.
func (w *writer) facts() string {
	p := w.t.Promotion
	freight := freightTitle(w.t.Freight, p.Freight, 120)
	lines := []string{
		"**" + stageName(p.Pipeline, p.Stage) + "** ← " + md(Harmless(freight), freightPage(w.links, w.t.Freight)) +
			" · " + asker(w.links, p) + " on " + when(p.CreatedAt, w.now) + " · " + code(shorten(p.Name, 100)),
		phaseMark(p) + " " + w.standing(),
	}
	if past := pastGates(p); past != "" {
		lines = append(lines, markPerson+" merged by hand past what was not open then: "+past+".")
	}
	if p.Reason != "" {
		lines = append(lines, "Reason: “"+Harmless(shorten(p.Reason, maxReason))+"”")
	}
	return strings.TrimSuffix(joined(append(lines, w.traces())...), "\n")
}

// standing says where the promotion stands, in the words of the check's title.
func (w *writer) standing() string {
	p := w.t.Promotion
	held := holding(p)
	switch {
	case len(held) > 0 && p.Message == "":
		return gateText(foremost(held), w.now, maxMessage)
	case len(held) > 0, p.Phase == promotion.PhaseSucceeded && p.Message != "":
		return sentence(shorten(p.Message, maxMessage))
	case verifying(p) && p.Message != "":
		return sentence(shorten(p.Message, maxMessage)) + "," + until(p.Verify.Until, w.now)
	}
	return told(p, maxMessage)
}

// traces links what the promotion left on GitHub.
func (w *writer) traces() string {
	p := w.t.Promotion
	var parts []string
	if p.Commit != "" {
		parts = append(parts, "commit "+commit(w.links, w.repo(), p.Commit))
	}
	if p.PullRequest != nil {
		parts = append(parts, "pull request "+number(w.links, w.repo(), p.PullRequest.Number))
	}
	if p.Landed != "" && p.Landed != p.Commit {
		parts = append(parts, "landed as "+commit(w.links, w.repo(), p.Landed))
	}
	if page := w.links.Page(w.t.State); page != "" {
		parts = append(parts, md("everything else", page))
	}
	return strings.Join(parts, " · ")
}

// stepTable shows each step with what came of it.
func (w *writer) stepTable(most int) string {
	p := w.t.Promotion
	if len(p.Steps) == 0 {
		return ""
	}
	shown, hidden := first(p.Steps, most)
	var rows [][]string
	for i, s := range shown {
		message := sentence(shorten(s.Message, maxMessage))
		if trace := stepTrace(p, i, w.links, w.repo()); trace != "" && saysNumber(s.Message, p) {
			message = strings.TrimSpace(trace)
		} else if trace != "" {
			message = strings.TrimSpace(trace + " " + message)
		}
		rows = append(rows, []string{fmt.Sprint(i + 1), Harmless(stepName(p, i)), stepWord(p, i), message})
	}
	out := table([]string{"", "step", "state", ""}, rows)
	if hidden > 0 {
		out += "\n" + more(hidden) + " steps.\n"
	}
	return strings.TrimRight(out, "\n")
}

// stepWord is a step's mark and word.
func stepWord(p *promotion.Promotion, i int) string {
	if p.Steps[i].Phase == promotion.StepPending {
		return "not begun"
	}
	return stepMark(p, i) + " " + Harmless(string(p.Steps[i].Phase))
}
