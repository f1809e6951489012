package ledger

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// where shows what runs in which stage, as a graph and as a table.
func (v *view) where() string {
	shown, hidden := first(v.pipes, v.most.pipes)
	sections := []string{"### Where everything is"}
	for _, p := range shown {
		if len(v.pipes) > 1 {
			sections = append(sections, "#### "+Harmless(p.name))
		}
		sections = append(sections, v.pipeline(p)...)
	}
	if len(shown) == 0 {
		sections = append(sections, "There is no pipeline here yet.")
	}
	if hidden > 0 {
		sections = append(sections, more(hidden)+" pipelines.")
	}
	return strings.Join(sections, "\n\n")
}

func (v *view) pipeline(p *pipe) []string {
	var sections []string
	switch {
	case p.state.Gone:
		sections = append(sections, "The pipeline's config file was removed. Nothing new starts; this is what it left.")
	case len(p.state.Broken) > 0:
		sections = append(sections, markBad+" broken: the config cannot be read. Nothing new starts; what runs goes on.")
	}
	if len(p.stages) == 0 {
		return append(sections, "No stage is known.")
	}
	if v.most.graph && len(p.stages) <= v.most.stages {
		sections = append(sections, v.graph(p))
	}
	return append(sections, v.stages(p))
}

// stages is the pipeline as a table.
func (v *view) stages(p *pipe) string {
	shown, hidden := first(p.stages, v.most.stages)
	var rows [][]string
	for _, stage := range shown {
		runs, since, health := dash, dash, dash
		if at := p.stage(stage).Current; at != nil {
			runs, since, health = v.runs(p, at), when(at.At, v.now), v.health(p, stage)
		}
		rows = append(rows, []string{Harmless(stage), runs, since, health, v.busy(p, stage), v.waiting(p, stage), v.next(p, stage)})
	}
	out := table([]string{"stage", "runs", "since", "health", "now", "queue", "next"}, rows)
	if hidden > 0 {
		out += "\n" + more(hidden) + " stages.\n"
	}
	return out
}

// runs is what a stage holds, linked to the commit that brought it.
func (v *view) runs(p *pipe, at *promotion.Landing) string {
	page := v.links.Commit(v.repo(), at.Commit)
	if page == "" {
		page = freightPage(v.links, p.freight(at.Freight))
	}
	return md(Harmless(v.named(p, at.Freight)), page)
}

func (v *view) health(p *pipe, stage string) string {
	s := p.stage(stage)
	if _, ok := s.Verified[s.Current.Freight]; ok {
		return markDone + " verified"
	}
	return markWaiting + " not verified"
}

// busy is what goes on in the stage, or what went wrong there last.
func (v *view) busy(p *pipe, stage string) string {
	if one := p.started(stage); one != nil {
		return v.doing(p, one)
	}
	if last := p.stuck(stage); last != nil {
		return phase(last) + ": " + v.freight(p, last.Freight) + v.at(last)
	}
	return dash
}

// doing is one started promotion in a few words.
func (v *view) doing(p *pipe, one *promotion.Promotion) string {
	text := phase(one) + ": " + v.freight(p, one.Freight)
	if needsPerson(one) {
		return text + ", merge of " + number(v.links, v.repo(), one.PullRequest.Number)
	}
	return text + v.at(one)
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

// next is what happens next in the stage, or what a person may do.
func (v *view) next(p *pipe, stage string) string {
	config := p.config.Stage(stage)
	if config == nil {
		return dash
	}
	command := code("/promote " + promotion.StageRef(p.name, stage))
	queue := p.queued(stage)
	switch {
	case len(queue) > 0 && p.started(stage) == nil && len(p.missing(stage, queue[0].Freight)) > 0:
		return "when " + join2(p.missing(stage, queue[0].Freight)) + " verified it"
	case len(queue) > 0:
		return "the queue"
	case p.stuck(stage) != nil && config.Auto:
		return "newer freight, or " + command
	case config.Auto:
		return "automatic"
	}
	if f := p.ready(stage); f != nil && p.started(stage) == nil {
		return v.freight(p, f.ID) + " is ready: " + command
	}
	return command
}

// join2 is "dev and staging".
func join2(names []string) string {
	safe := make([]string, len(names))
	for i, name := range names {
		safe[i] = Harmless(name)
	}
	if len(safe) < 2 {
		return strings.Join(safe, "")
	}
	return strings.Join(safe[:len(safe)-1], ", ") + " and " + safe[len(safe)-1]
}
