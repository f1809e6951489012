package promotion

import "slices"

// addArtifact makes freight when every source of the pipeline has an artifact.
func (c *core) addArtifact(pipeline string, a Artifact) {
	ps := c.pipe(pipeline)
	known, had := ps.Artifacts[a.Source]
	if had && known.identity() == a.identity() {
		return
	}
	if ps.Artifacts[a.Source] = a; had {
		c.keep(ps, known)
	}
	p := c.state.Local.Config[pipeline]
	if p == nil {
		return
	}
	artifacts := make([]Artifact, 0, len(p.Sources))
	for _, src := range p.Sources {
		got, ok := ps.Artifacts[src.Name]
		if !ok {
			return // without an artifact of every source there is no freight
		}
		artifacts = append(artifacts, got)
	}
	f := NewFreight(artifacts, ps.NextNumber+1, c.now)
	if c.state.FreightByID(pipeline, f.ID) != nil {
		return
	}
	ps.NextNumber++
	ps.Freight = append(ps.Freight, f)
	c.touch(pipeline)
	c.forgetFreight(ps)
}

// forgetFreight keeps the newest freight, and what is in use.
func (c *core) forgetFreight(ps *PipelineState) {
	used := map[string]bool{}
	for _, st := range ps.Stages {
		for _, l := range st.landings() {
			used[l.Freight] = true
		}
	}
	for _, p := range ps.Promotions {
		used[p.Freight] = true
	}
	extra := len(ps.Freight) - freightMemory
	gone, dropped := map[string]bool{}, []*Freight(nil)
	ps.Freight = slices.DeleteFunc(ps.Freight, func(f *Freight) bool {
		if extra <= 0 || used[f.ID] {
			return false
		}
		extra--
		gone[f.ID] = true
		dropped = append(dropped, f)
		return true
	})
	for _, f := range dropped {
		for _, a := range f.Artifacts {
			c.keep(ps, a)
		}
	}
	for name := range ps.Stages {
		c.forgetIn(ps, name, gone)
	}
}

// forgetIn drops what a stage remembers of freight that is gone.
func (c *core) forgetIn(ps *PipelineState, stage string, gone map[string]bool) {
	st := ps.Stages[stage]
	for id := range gone {
		_, verified := st.Verified[id]
		if !verified && !st.Tried[id] {
			continue
		}
		if !c.ownStg[st] {
			own := *st
			own.Verified, own.Tried = cloneMap(own.Verified), cloneMap(own.Tried)
			st = &own
			ps.Stages[stage] = st
			c.ownStg[st] = true
		}
		delete(st.Verified, id)
		delete(st.Tried, id)
	}
}
