package ledger

import (
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// gates says of each condition of one's stage whether it holds.
func (p *pipe) gates(one *promotion.Promotion, now time.Time) string {
	config := p.config.Stage(one.Stage)
	if config == nil {
		return ""
	}
	var gates []string
	for _, after := range config.After {
		if at, ok := p.stage(after).Verified[one.Freight]; ok {
			gates = append(gates, markDone+" "+Harmless(after)+" verified it "+when(at, now))
		} else {
			gates = append(gates, markWaiting+" waiting: "+Harmless(after)+" has not verified it")
		}
	}
	line := strings.Join(gates, " · ")
	if len(gates) > 1 && config.AfterMode == promotion.AfterAny {
		line += " (any of them)"
	}
	return line
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

// ready is the newest freight that may go to the stage and is newer than what
// runs there, or nil.
func (p *pipe) ready(stage string) *promotion.Freight {
	var newest *promotion.Freight
	floor := int64(-1)
	if current := p.stage(stage).Current; current != nil {
		if f := p.freight(current.Freight); f != nil {
			floor = f.Number
		}
	}
	for _, f := range p.state.Freight {
		if f != nil && f.Number > floor && len(p.missing(stage, f.ID)) == 0 {
			newest, floor = f, f.Number
		}
	}
	return newest
}

// upNext is the first in the stage's queue that may go there: those that may not
// yet let others pass. nil: none may.
func (p *pipe) upNext(stage string) *promotion.Promotion {
	for _, one := range p.queued(stage) {
		if len(p.missing(stage, one.Freight)) == 0 {
			return one
		}
	}
	return nil
}
