package ledger

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

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
	promote := command("promote", p.name, stage)
	queue := p.queued(stage)
	switch {
	case len(queue) > 0 && p.started(stage) == nil && p.upNext(stage) == nil:
		return "when " + enumerate(p.missing(stage, queue[0].Freight)) + " verified it"
	case len(queue) > 0:
		return "the queue"
	case p.stuck(stage) != nil && config.Auto:
		return "newer freight, or " + command("retry", p.name, stage)
	case p.stuck(stage) != nil:
		return command("retry", p.name, stage)
	case config.Auto:
		return "automatic"
	case p.started(stage) != nil:
		return dash
	}
	if f := p.ready(stage); f != nil {
		return v.freight(p, f.ID) + " is ready: " + promote
	}
	return promote
}

// enumerate is "dev and staging".
func enumerate(names []string) string {
	safe := make([]string, len(names))
	for i, name := range names {
		safe[i] = Harmless(name)
	}
	if len(safe) < 2 {
		return strings.Join(safe, "")
	}
	return strings.Join(safe[:len(safe)-1], ", ") + " and " + safe[len(safe)-1]
}
