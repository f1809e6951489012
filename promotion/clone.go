package promotion

import (
	"maps"
	"slices"
	"time"
)

// core is one run of Advance: a state that it owns as far as it has touched it.
// Everything else is shared with the state that was given and only read.
type core struct {
	given     *State // as it was
	state     *State
	ownPipe   map[string]bool
	ownProm   map[*Promotion]bool
	ownStg    map[*StageState]bool
	reshaped  bool                 // the config was read
	touched   map[string]*concern  // by pipeline, what of it has to be settled
	ownChecks map[string]bool      // commits whose checks were copied
	wakes     map[string]time.Time // of what is being settled: when to look again, see wakeKey

	wakesOwned bool // Local.Wakes was copied
	foundOld   bool // what lands landed in an earlier life: below the tip that is known
	clock
}

func newCore(s *State, at clock) *core {
	next := *s
	given := *s // its places may be made, and are not seen by whoever gave it
	next.Comments = slices.Clone(s.Comments)
	next.Problems = slices.Clone(s.Problems)
	next.Local.Tips = cloneMap(s.Local.Tips)
	next.Local.TipsAt = cloneMap(s.Local.TipsAt)
	next.Local.Pending = cloneMap(s.Local.Pending)
	next.Local.ConfigHeads = cloneMap(s.Local.ConfigHeads)
	return &core{
		given: &given, state: &next, clock: at,
		ownPipe: map[string]bool{}, ownProm: map[*Promotion]bool{}, ownStg: map[*StageState]bool{}, touched: map[string]*concern{}, wakes: map[string]time.Time{},
	}
}

// cloneMap copies a map; nil: an empty one. A map that holds few entries and was large
// once keeps its room, and maps.Clone would copy that too.
func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > 8 {
		return maps.Clone(m)
	}
	out := make(map[K]V, len(m)+1)
	maps.Copy(out, m)
	return out
}

// pipe returns the pipeline's state to change, made if it is not there.
func (c *core) pipe(name string) *PipelineState {
	ps := c.state.Pipelines[name]
	if c.ownPipe[name] {
		return ps
	}
	own := &PipelineState{}
	if ps != nil {
		*own = *ps
	}
	own.Freight = slices.Clone(own.Freight)
	own.Artifacts = cloneMap(own.Artifacts)
	own.Stages = cloneMap(own.Stages)
	own.Promotions = slices.Clone(own.Promotions)
	own.Broken = slices.Clone(own.Broken)
	if len(c.ownPipe) == 0 {
		c.state.Pipelines = cloneMap(c.state.Pipelines)
	}
	c.state.Pipelines[name] = own
	c.ownPipe[name] = true
	return own
}

// stage returns the stage's state to change, made if it is not there. It is
// settled, and those after it are.
func (c *core) stage(pipeline, name string) *StageState {
	c.touchAround(pipeline, name)
	ps := c.pipe(pipeline)
	st := ps.Stages[name]
	if st != nil && c.ownStg[st] {
		return st
	}
	own := &StageState{}
	if st != nil {
		*own = *st
	}
	own.Verified = remembered(own.Verified, ps.Freight)
	own.Tried = remembered(own.Tried, ps.Freight)
	ps.Stages[name] = own
	c.ownStg[own] = true
	return own
}

// own returns the promotion to change; p may be an older copy of it.
func (c *core) own(p *Promotion) *Promotion {
	ps := c.pipe(p.Pipeline)
	i := slices.IndexFunc(ps.Promotions, func(o *Promotion) bool { return o.Name == p.Name })
	if i < 0 {
		return p
	}
	now := ps.Promotions[i]
	if c.ownProm[now] {
		return now
	}
	own := *now
	own.Steps = slices.Clone(own.Steps)
	own.Checks = slices.Clone(own.Checks)
	own.Approvals = slices.Clone(own.Approvals)
	if own.PullRequest != nil {
		pr := *own.PullRequest
		pr.Pushers = slices.Clone(pr.Pushers)
		own.PullRequest = &pr
	}
	ps.Promotions[i] = &own
	c.ownProm[&own] = true
	return &own
}

// promotion finds a promotion of any pipeline by name, to read.
func (c *core) promotion(name string) *Promotion { return c.state.Promotion(name) }

// Promotion finds a promotion of any pipeline by name, or returns nil.
func (s *State) Promotion(name string) *Promotion {
	if name == "" {
		return nil
	}
	for _, ps := range s.Pipelines {
		if p := ps.Promotion(name); p != nil {
			return p
		}
	}
	return nil
}

// Promotion finds a promotion of the pipeline by name, or returns nil.
func (ps *PipelineState) Promotion(name string) *Promotion {
	if ps == nil {
		return nil
	}
	for _, p := range ps.Promotions {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// FreightByID finds freight of the pipeline, or returns nil.
func (s *State) FreightByID(pipeline, id string) *Freight {
	ps := s.Pipelines[pipeline]
	if ps == nil {
		return nil
	}
	for _, f := range ps.Freight {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// Live reports whether any promotion of the repository has not ended.
func (s *State) Live() bool {
	for _, ps := range s.Pipelines {
		for _, p := range ps.Promotions {
			if !p.Phase.Terminal() {
				return true
			}
		}
	}
	return false
}
