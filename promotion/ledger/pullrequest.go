package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const (
	maxTitle   = 200    // characters; GitHub takes 256
	maxChanges = 50     // files in the table
	maxReason  = 500    // characters
	maxBrought = 10     // pushes of a source that are listed
	prLimit    = 60_000 // bytes, and so less than GitHub's 65,536 code points
)

// PullRequest is the title and the body of a promotion's pull request. The body
// ends with Marker of the promotion's name. The text speaks of the time at which
// the promotion started, and is the same whenever it is written.
func PullRequest(t promotion.Task, links Links) (heading, body string) {
	p := t.Promotion
	if p == nil {
		return "", ""
	}
	w := &writer{t: t, links: links, now: p.StartedAt, pipe: newPipe(p.Pipeline, t.Pipeline, stateOf(t))}
	stage := shorten(promotion.StageRef(p.Pipeline, p.Stage), 90)
	heading = shorten(title("Promote "+freightTitle(t.Freight, p.Freight, 120)+" to "+stage), maxTitle)
	sections := []string{w.opening(stage), w.changes(), w.byHand(), w.since(), w.cameThrough(), w.ending()}
	sections = slices.DeleteFunc(sections, func(s string) bool { return s == "" })
	body = strings.Join(sections, "\n\n") + "\n"
	if len(body) > prLimit { // names of files and sources without end
		body = w.opening(stage) + "\n\n" + w.ending() + "\n"
	}
	return heading, body + "\n" + Marker(p.Name) + "\n"
}

// writer writes the texts of one promotion.
type writer struct {
	t     promotion.Task
	links Links
	now   time.Time
	pipe  *pipe
}

// stateOf is what happened in the task's pipeline, or nil.
func stateOf(t promotion.Task) *promotion.PipelineState {
	if t.State == nil || t.Promotion == nil {
		return nil
	}
	return t.State.Pipelines[t.Promotion.Pipeline]
}

func (w *writer) repo() string { return w.t.Repo.FullName() }

// opening is what goes where, asked for by whom and why.
func (w *writer) opening(stage string) string {
	p := w.t.Promotion
	text := "**" + w.versions() + "** for **" + Harmless(stage) + "**, " + asker(w.links, p)
	if p.Reason != "" {
		return text + ": “" + Harmless(shorten(p.Reason, maxReason)) + "”"
	}
	return text + "."
}

// versions is "web 1.4.1 → 1.4.2" for each source that changed, or all of the
// freight where nothing is known of before.
func (w *writer) versions() string {
	f := w.t.Freight
	if f == nil || len(f.Artifacts) == 0 {
		return Harmless(freightTitle(f, w.t.Promotion.Freight, 120))
	}
	shown, hidden := first(f.Artifacts, 10)
	var parts []string
	for _, a := range shown {
		text := a.Source + " "
		if old, ok := w.earlier(a.Source); ok && old.Version() != a.Version() {
			text += shorten(old.Version(), 80) + " → "
		}
		parts = append(parts, Harmless(text+shorten(a.Version(), 80)))
	}
	if hidden > 0 {
		parts = append(parts, more(hidden))
	}
	return strings.Join(parts, " + ")
}

// earlier is the artifact of a source that the stage held so far.
func (w *writer) earlier(source string) (promotion.Artifact, bool) {
	if w.t.Before == nil {
		return promotion.Artifact{}, false
	}
	return w.t.Before.Artifact(source)
}

// cameThrough lists the stages that the freight has passed, in their order.
func (w *writer) cameThrough() string {
	var passed []string
	for _, stage := range w.pipe.stages {
		at, ok := w.pipe.stage(stage).Verified[w.t.Promotion.Freight]
		if !ok || stage == w.t.Promotion.Stage {
			continue
		}
		text := stageName("", stage) + " " + markDone + " verified"
		if by := w.pipe.landedBy(stage, w.t.Promotion.Freight); by != nil && by.PullRequest != nil {
			text += " by " + number(w.links, w.repo(), by.PullRequest.Number)
		}
		passed = append(passed, text+" "+when(at, w.now))
	}
	if len(passed) == 0 {
		return ""
	}
	return "**Came through:** " + strings.Join(passed, " → ")
}

// landedBy is the promotion that brought the freight to the stage, or nil.
func (p *pipe) landedBy(stage, freight string) *promotion.Promotion {
	for _, one := range p.ended(stage) {
		if one.Phase == promotion.PhaseSucceeded && one.Freight == freight {
			return one
		}
	}
	return nil
}

// ending says how the pull request is steered.
func (w *writer) ending() string {
	p := w.t.Promotion
	commands, approve := code("/abort")+" and "+code("/plan")+" work here", ""
	if of := asked(w.t.Pipeline.Stage(p.Stage)); of != "" {
		commands = joinAnd([]string{code("/approve"), code("/reject"), code("/abort"), code("/plan")}) + " work here"
		approve = "It takes " + of + ": in a review or by " + code("/approve") + ". Each new commit asks anew.\n\n"
	}
	merge := "Merging this promotes."
	if mergesItself(p) {
		merge = "It is merged by itself as soon as its gates and GitHub allow it, and that promotes."
	}
	return approve + fmt.Sprintf("%s Closing it ends the promotion. %s; state and gates are in the check **%s**.",
		merge, commands, Harmless(promotion.CheckName(p.Pipeline, p.Stage)))
}
