package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Plan is the comment that shows what a promotion would change and what would hold
// it up. It ends with marker. t.Effect.Preview says what was asked.
func Plan(t promotion.Task, p promotion.Planned, links Links, marker string) string {
	w := planWriter{t: t, p: p, links: links}
	out := joined(w.opening(), w.steps(), w.changes(), w.gates(), w.ending())
	if room := maxText - len(marker) - 2; len(out) > room { // file names and gates without end
		out = joined(w.opening(), "There is more here than a comment can show. `stagecoach plan` in a clone shows all of it.")
	}
	return out + "\n" + marker
}

type planWriter struct {
	t     promotion.Task
	p     promotion.Planned
	links Links
}

// opening is what would go where, and over what.
func (w planWriter) opening() string {
	repo, freight := w.t.Repo.FullName(), ""
	if w.p.Freight != nil {
		freight = w.p.Freight.ID
	}
	text := "**Plan:** **" + stageName(w.p.Pipeline, w.p.Stage) + "** ← " +
		md(Harmless(freightTitle(w.p.Freight, freight, 120)), freightPage(w.links, w.p.Freight)) + ", over " + code(shorten(w.p.Branch, 100))
	if w.p.Tip != "" {
		text += " at " + commit(w.links, repo, w.p.Tip)
	} else {
		text += ", which does not exist yet"
	}
	text += ". Nothing was changed."
	if head := w.head(); head != "" {
		text += "\n\nThe pipeline files are those of this pull request at " + commit(w.links, repo, head) + ". They count when they are merged."
	}
	return text
}

func (w planWriter) head() string {
	if w.t.Effect.Preview == nil {
		return ""
	}
	return w.t.Effect.Preview.Head
}

// steps says how each step went, and which are left to a promotion.
func (w planWriter) steps() string {
	var ran, left, wrong []string
	for _, s := range w.p.Steps {
		name := Harmless(shorten(s.Uses, 60))
		switch s.Status {
		case "not-run":
			left = append(left, name)
		case string(promotion.StepSkipped):
			ran = append(ran, markSkipped+" "+name+" skipped")
		case string(promotion.StepSucceeded):
			ran = append(ran, markDone+" "+name)
		default:
			ran = append(ran, markBad+" "+name+" "+Harmless(s.Status))
			wrong = append(wrong, markBad+" **"+name+"** "+Harmless(s.Status)+": "+sentence(shorten(s.Message, maxMessage)))
		}
	}
	shown, hidden := first(ran, maxCheckSteps)
	if hidden > 0 {
		shown = append(shown, more(hidden))
	}
	lines := []string{strings.Join(shown, " · "), strings.Join(wrong, "\n\n")}
	if len(left) > 0 {
		names, hidden := first(left, 20)
		if hidden > 0 {
			names = append(names, more(hidden))
		}
		lines = append(lines, "Left to a promotion: "+strings.Join(names, ", ")+".")
	}
	return strings.TrimSuffix(joined(lines...), "\n")
}

// failed reports whether the steps do not succeed.
func (w planWriter) failed() bool {
	return slices.ContainsFunc(w.p.Steps, func(s promotion.PlannedStep) bool { return s.Status == "failed" || s.Status == "errored" })
}

// changes are the files and the diff.
func (w planWriter) changes() string {
	switch {
	case w.failed():
		return "It would end there, and change nothing."
	case len(w.p.Files) == 0:
		return "**Nothing would change:** the files hold it already."
	}
	diff, cut := cutLines(bare(w.p.Diff), maxDiff)
	out := "**" + diffStat(w.p.Files) + "**"
	if diff == "" || cut > 0 {
		out = changeTable(w.p.Files) // the diff names only some of them
	}
	if w.p.Hidden > 0 {
		out += fmt.Sprintf("\n\n%d more files differ, and were not looked into.", w.p.Hidden)
	}
	if diff == "" {
		return out
	}
	out += "\n\n" + fenced("diff", diff)
	if cut > 0 {
		out += fmt.Sprintf("\n\nThe diff is too long for a comment: its last %d lines are left out.", cut)
	}
	return out
}

// gates are what a promotion would meet.
func (w planWriter) gates() string {
	var rows [][]string
	held := false
	shown, hidden := first(w.p.Gates, maxCheckGates)
	for _, g := range shown {
		held = held || g.Status != promotion.GateOpen
		rows = append(rows, []string{Harmless(shorten(g.Name, 40)), gateWord(g, false), gateText(g, w.t.Effect.SentAt, maxMessage)})
	}
	lines := []string{"No gate would hold it up."}
	if held {
		lines[0] = "**What would hold it up:**"
	}
	if len(rows) > 0 {
		lines = append(lines, strings.TrimRight(table([]string{"gate", "state", ""}, rows), "\n"))
	}
	if hidden > 0 {
		lines = append(lines, more(hidden)+" gates.")
	}
	return strings.TrimSuffix(joined(append(lines, w.queue())...), "\n")
}

// queue says who has the stage, and who waits for it.
func (w planWriter) queue() string {
	ahead := fmt.Sprintf("%d wait for the stage already.", w.p.Ahead)
	if w.p.Ahead == 1 {
		ahead = "1 waits for the stage already."
	}
	switch {
	case w.p.Running == "" && w.p.Ahead == 0:
		return ""
	case w.p.Running == "":
		return markWaiting + " queue: " + ahead
	case w.p.Ahead == 0:
		return markRunning + " under way there: " + code(shorten(w.p.Running, 100)) + ". It would wait for that one."
	}
	return markRunning + " under way there: " + code(shorten(w.p.Running, 100)) + ". " + ahead
}

// ending says how to ask for it.
func (w planWriter) ending() string {
	if w.head() != "" || w.p.Freight == nil || w.failed() {
		return ""
	}
	return code("/promote "+shorten(promotion.StageRef(w.p.Pipeline, w.p.Stage), 90)+" "+w.p.Freight.Alias()) + " asks for it."
}
