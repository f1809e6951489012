package ledger

import (
	"cmp"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// pipe is a pipeline: what is configured and what happened, sorted once, so that
// a long queue is drawn as fast as a short one.
type pipe struct {
	name   string
	config *promotion.Pipeline // nil: gone or broken, then only state speaks
	state  *promotion.PipelineState
	stages []string // topological, as in the config; without one by name
	known  map[string]*promotion.Freight
	lanes  map[string]*lane
}

// lane is what one stage's promotions are about.
type lane struct {
	started *promotion.Promotion   // holds the stage; nil: none does
	queued  []*promotion.Promotion // the next one first
	ended   []*promotion.Promotion // the last one first
}

func newPipe(name string, config *promotion.Pipeline, state *promotion.PipelineState) *pipe {
	if state == nil {
		state = &promotion.PipelineState{}
	}
	p := &pipe{name: name, config: config, state: state, known: map[string]*promotion.Freight{}, lanes: map[string]*lane{}}
	for _, f := range state.Freight {
		if f != nil {
			p.known[f.ID] = f
		}
	}
	if config != nil {
		p.stages = topological(config.Stages)
	} else {
		p.stages = remembered(state)
	}
	p.sortPromotions()
	return p
}

func (p *pipe) sortPromotions() {
	queues := map[string]*promotion.Queue{}
	for _, one := range p.state.Promotions {
		if one == nil {
			continue
		}
		l := p.lanes[one.Stage]
		if l == nil {
			l = &lane{}
			p.lanes[one.Stage], queues[one.Stage] = l, promotion.NewQueue()
		}
		switch {
		case one.Phase == promotion.PhaseQueued:
			queues[one.Stage].Push(one)
		case one.Phase.Terminal():
			l.ended = append(l.ended, one)
		default: // at most one, by the first promise of the queue
			l.started = one
		}
	}
	for stage, l := range p.lanes {
		l.queued = queues[stage].All()
		slices.SortFunc(l.ended, lastFirst)
	}
}

// freight returns the freight with that ID, or nil when it is forgotten.
func (p *pipe) freight(id string) *promotion.Freight { return p.known[id] }

// lane returns the stage's promotions; never nil.
func (p *pipe) lane(stage string) *lane {
	if l := p.lanes[stage]; l != nil {
		return l
	}
	return &lane{}
}

// stage returns what the stage holds; never nil.
func (p *pipe) stage(name string) *promotion.StageState {
	if s := p.state.Stages[name]; s != nil {
		return s
	}
	return &promotion.StageState{}
}

// handle is the word by which people name freight in a command.
func (p *pipe) handle(id string) string {
	if f := p.freight(id); f != nil {
		return f.Alias()
	}
	return short(id) // forgotten: the start of its ID still works
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
func (p *pipe) started(stage string) *promotion.Promotion { return p.lane(stage).started }

// queued are the promotions that wait for their turn, the next one first.
func (p *pipe) queued(stage string) []*promotion.Promotion { return p.lane(stage).queued }

// ended are the promotions that ended, the last one first.
func (p *pipe) ended(stage string) []*promotion.Promotion { return p.lane(stage).ended }

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
