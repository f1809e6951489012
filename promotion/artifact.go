package promotion

import (
	"maps"
	"slices"
)

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
	c.forgetStale(pipeline, f.ID)
	ps.NextNumber++
	ps.Freight = append(ps.Freight, f)
	ps.knowCommits(p, f, c.state.Local.Rebuilt.Add(rebuiltDoubt))
	c.touchFreight(pipeline)
	c.forgetFreight(pipeline)
}

// forgetFreight keeps the newest freight, and what is in use. What stages remember
// of the rest goes when they change, see remembered.
func (c *core) forgetFreight(pipeline string) {
	ps := c.pipe(pipeline)
	if len(ps.Freight) <= freightMemory {
		return
	}
	used, newestGone, dropped := ps.freightInUse(), int64(0), []*Freight(nil)
	extra := min(len(ps.Freight)-freightMemory, len(ps.Freight)-len(used)-freightSpare)
	ps.Freight = slices.DeleteFunc(ps.Freight, func(f *Freight) bool {
		if extra <= 0 || used[f.ID] {
			return false
		}
		extra--
		newestGone = max(newestGone, f.Number)
		dropped = append(dropped, f)
		return true
	})
	ps.forgetCommits()
	for _, f := range dropped {
		for _, a := range f.Artifacts {
			c.keep(ps, a)
		}
	}
	// A stage that might have promoted it by itself may take older freight now.
	c.touchWhere(pipeline, func(s *Stage) bool { return s.Auto && c.heldNumber(pipeline, s.Name) < newestGone })
}

// freightInUse are the IDs of what stages hold and held, and of what promotions carry.
func (ps *PipelineState) freightInUse() map[string]bool {
	used := map[string]bool{}
	for _, st := range ps.Stages {
		for _, l := range st.Before {
			used[l.Freight] = true
		}
		if st.Current != nil {
			used[st.Current.Freight] = true
		}
	}
	for _, p := range ps.Promotions {
		used[p.Freight] = true
	}
	return used
}

// forgetStale drops what stages remember of freight that was forgotten and is made
// anew now: it has to be verified again.
func (c *core) forgetStale(pipeline, freight string) {
	for name, st := range maps.All(c.pipe(pipeline).Stages) {
		if _, verified := st.Verified[freight]; verified || st.Tried[freight] {
			own := c.stage(pipeline, name)
			delete(own.Verified, freight)
			delete(own.Tried, freight)
		}
	}
}

// remembered copies what a stage remembers of freight. When much of that is known
// no more, it is left out.
func remembered[V any](m map[string]V, known []*Freight) map[string]V {
	if len(m) <= len(known)+freightMemory/4 {
		return cloneMap(m)
	}
	out := make(map[string]V, len(known))
	for _, f := range known {
		if v, ok := m[f.ID]; ok {
			out[f.ID] = v
		}
	}
	return out
}
