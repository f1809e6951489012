package ledger

import (
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// gates says of each condition of one's stage whether it holds: those that the
// core judged and, where it judged none of the stages before, what they verified.
func (p *pipe) gates(one *promotion.Promotion, now time.Time, most int) string {
	parts := p.passed(one, now)
	for _, g := range one.Gates {
		parts = append(parts, gateMark(g)+" "+gateText(g, now, most))
	}
	return strings.Join(parts, " · ")
}

// passed says which of the stages before verified one's freight, unless the core
// judged that. What has not is said only of what still waits for it: one that has
// started is past it.
func (p *pipe) passed(one *promotion.Promotion, now time.Time) []string {
	config := p.config.Stage(one.Stage)
	judged := slices.ContainsFunc(one.Gates, func(g promotion.Gate) bool { return g.Name == promotion.GateAfter })
	if config == nil || judged {
		return nil
	}
	var parts []string
	for _, after := range config.After {
		if at, ok := p.stage(after).Verified[one.Freight]; ok {
			parts = append(parts, markDone+" "+Harmless(shorten(after, 90))+" verified it "+when(at, now))
		} else if one.Phase == promotion.PhaseQueued {
			parts = append(parts, markWaiting+" waiting: "+Harmless(shorten(after, 90))+" has not verified it")
		}
	}
	if len(parts) > 1 && config.AfterMode == promotion.AfterAny {
		parts[len(parts)-1] += " (any of them)"
	}
	return parts
}

// missing are the `after` stages that have not verified the freight; nil means
// that it may go to the stage.
func (p *pipe) missing(stage, freight string) []string {
	config := p.config.Stage(stage)
	if config == nil {
		return nil
	}
	var missing []string
	for _, after := range config.After {
		if _, ok := p.stage(after).Verified[freight]; !ok {
			missing = append(missing, after)
		}
	}
	if config.AfterMode == promotion.AfterAny && len(missing) < len(config.After) {
		return nil
	}
	return missing
}

// ready is the newest freight that the stages before verified, that nobody
// blocked, and that is newer than what runs there; nil: none.
func (p *pipe) ready(stage string) *promotion.Freight {
	var newest *promotion.Freight
	floor := int64(-1)
	if current := p.stage(stage).Current; current != nil {
		if f := p.freight(current.Freight); f != nil {
			floor = f.Number
		}
	}
	for _, f := range p.state.Freight {
		if f != nil && f.Number > floor && p.state.Blocked[f.ID] == nil && len(p.missing(stage, f.ID)) == 0 {
			newest, floor = f, f.Number
		}
	}
	return newest
}

// upNext is the first in the stage's queue that may go there: those that may not
// yet let others pass. nil: none may.
func (p *pipe) upNext(stage string) *promotion.Promotion {
	for _, one := range p.queued(stage) {
		if p.mayStart(one) {
			return one
		}
	}
	return nil
}

// mayStart reports whether no gate holds a queued promotion up, by the core's
// judgement or, where there is none, by what the stages before verified.
func (p *pipe) mayStart(one *promotion.Promotion) bool {
	if len(one.Gates) > 0 {
		return len(holding(one)) == 0
	}
	return len(p.missing(one.Stage, one.Freight)) == 0
}
