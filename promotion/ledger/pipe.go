package ledger

import (
	"cmp"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// pipe is a pipeline: what is configured and what happened.
type pipe struct {
	name   string
	config *promotion.Pipeline // nil: gone or broken, then only state speaks
	state  *promotion.PipelineState
	stages []string // topological, as in the config; without one by name
}

func newPipe(name string, config *promotion.Pipeline, state *promotion.PipelineState) *pipe {
	if state == nil {
		state = &promotion.PipelineState{}
	}
	p := &pipe{name: name, config: config, state: state}
	if config != nil {
		p.stages = topological(config.Stages)
	} else {
		p.stages = remembered(state)
	}
	return p
}

// freight returns the freight with that ID, or nil when it is forgotten.
func (p *pipe) freight(id string) *promotion.Freight {
	for _, f := range p.state.Freight {
		if f != nil && f.ID == id {
			return f
		}
	}
	return nil
}

// stage returns what the stage holds; never nil.
func (p *pipe) stage(name string) *promotion.StageState {
	if s := p.state.Stages[name]; s != nil {
		return s
	}
	return &promotion.StageState{}
}

// promotions are those of which keep says so, in order of name.
func (p *pipe) promotions(keep func(*promotion.Promotion) bool) []*promotion.Promotion {
	var kept []*promotion.Promotion
	for _, one := range p.state.Promotions {
		if one != nil && keep(one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// started is the promotion that holds the stage, or nil.
func (p *pipe) started(stage string) *promotion.Promotion {
	found := p.promotions(func(o *promotion.Promotion) bool { return o.Stage == stage && o.Phase.Started() })
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// queued are the promotions that wait for their turn, the next one first.
func (p *pipe) queued(stage string) []*promotion.Promotion {
	return promotion.NewQueue(p.promotions(func(o *promotion.Promotion) bool { return o.Stage == stage })...).All()
}

// ended are the promotions that ended, the last one first. stage "" means all.
func (p *pipe) ended(stage string) []*promotion.Promotion {
	found := p.promotions(func(o *promotion.Promotion) bool { return (stage == "" || o.Stage == stage) && o.Phase.Terminal() })
	slices.SortFunc(found, lastFirst)
	return found
}

func lastFirst(a, b *promotion.Promotion) int {
	return cmp.Or(b.EndedAt.Compare(a.EndedAt), cmp.Compare(b.Name, a.Name))
}

// stuck is the stage's last promotion if it errored or failed and nothing has
// come after it: what a person may want to mend and retry.
func (p *pipe) stuck(stage string) *promotion.Promotion {
	ended := p.ended(stage)
	if len(ended) == 0 || p.started(stage) != nil {
		return nil
	}
	switch last := ended[0]; last.Phase {
	case promotion.PhaseErrored, promotion.PhaseFailed:
		return last
	}
	return nil
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
