package ledger

import (
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// next is what happens next in the stage, or what a person may do.
func (v *view) next(p *pipe, stage string) string {
	config := p.config.Stage(stage)
	if config == nil {
		return dash
	}
	queue, stuck := p.queued(stage), p.stuck(stage) != nil
	retry, frozen := command("retry", p.name, stage), v.frozen(p, stage)
	switch {
	case len(queue) > 0 && p.started(stage) == nil && p.upNext(stage) == nil:
		return v.opening(p, queue[0])
	case len(queue) > 0:
		return "the queue"
	case stuck && config.Auto:
		return "newer freight, or " + retry
	case stuck:
		return retry
	case frozen != nil && frozen.Until.IsZero():
		return "when somebody lifts the freeze"
	case frozen != nil:
		return "when the freeze ends, " + when(frozen.Until, v.now)
	case config.Auto && p.stage(stage).Paused != nil:
		return command("resume", p.name, stage) + " or " + command("promote", p.name, stage)
	}
	return v.idly(p, config)
}

// opening is what the first of a queue waits for, when nothing may start.
func (v *view) opening(p *pipe, one *promotion.Promotion) string {
	if held := holding(one); len(held) > 0 {
		return gateMark(foremost(held)) + " " + v.stands(held)
	}
	return "when " + enumerate(p.missing(one.Stage, one.Freight)) + " verified it"
}

// idly is what comes next in a stage where nothing waits.
func (v *view) idly(p *pipe, stage *promotion.Stage) string {
	f := p.ready(stage.Name)
	promote := command("promote", p.name, stage.Name)
	switch {
	case stage.Auto && f != nil && !p.stage(stage.Name).Tried[f.ID]:
		if terms := v.terms(p, stage, f.ID); terms != "" {
			return "automatic: " + v.freight(p, f.ID) + terms
		}
		return "automatic"
	case stage.Auto:
		return "automatic"
	case p.started(stage.Name) != nil:
		return dash
	case f != nil:
		terms := v.terms(p, stage, f.ID)
		if terms != "" { // without a name the command takes the newest that may start at once
			promote = code("/promote " + shorten(promotion.StageRef(p.name, stage.Name), 90) + " " + p.handle(f.ID))
		}
		return v.freight(p, f.ID) + " is ready" + terms + ": " + promote
	}
	return promote
}

// terms say what freight that the stages before verified still needs before it
// may start, as far as no person decides that: their health, soak, checks.
func (v *view) terms(p *pipe, stage *promotion.Stage, freight string) string {
	text := ""
	if at := p.soaksUntil(stage, freight); !at.IsZero() {
		text += " from " + when(at, v.now) + " (soak " + promotion.Span(stage.Gates.Soak) + ")"
	}
	if len(stage.Gates.Checks) > 0 {
		names, hidden := first(stage.Gates.Checks, 3)
		text += ", when " + codes(names) + more(hidden) + " is green"
	}
	var ill []string
	for _, after := range stage.After {
		if p.stage(after).Health.Bad {
			ill = append(ill, after)
		}
	}
	if len(ill) > 0 {
		text += ", when " + enumerate(ill) + " is healthy"
	}
	return text
}

// soaksUntil is when freight will have stood long enough in the stages before:
// in the last of them, with afterMode any in the first. Zero: no soak is asked for.
func (p *pipe) soaksUntil(stage *promotion.Stage, freight string) time.Time {
	if stage.Gates.Soak <= 0 {
		return time.Time{}
	}
	var since time.Time
	for _, after := range stage.After {
		at, ok := p.stage(after).Verified[freight]
		if !ok {
			continue
		}
		if earlier := stage.AfterMode == promotion.AfterAny && at.Before(since); since.IsZero() || earlier || stage.AfterMode != promotion.AfterAny && at.After(since) {
			since = at
		}
	}
	if f := p.freight(freight); len(stage.After) == 0 && f != nil {
		since = f.CreatedAt
	}
	if since.IsZero() {
		return since
	}
	return since.Add(stage.Gates.Soak)
}
