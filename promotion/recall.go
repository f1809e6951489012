package promotion

import (
	"cmp"
	"slices"
)

// recall makes freight known again that traces of an earlier life carry, with the
// number that it had. What was found since the store was empty is newer than all of
// it, unless it is among it.
func (c *core) recall(found []Found) {
	carried := map[string]map[string]*Freight{}
	for _, f := range found {
		if f.Carries == nil || f.Carries.ID != f.Freight || c.state.Local.Config[f.Pipeline] == nil {
			continue
		}
		if carried[f.Pipeline] == nil {
			carried[f.Pipeline] = map[string]*Freight{}
		}
		carried[f.Pipeline][f.Freight] = f.Carries
	}
	for _, name := range sortedKeys(carried) {
		c.recallIn(name, carried[name])
	}
}

func (c *core) recallIn(pipeline string, carried map[string]*Freight) {
	ps := c.pipe(pipeline)
	fresh := func(f *Freight) bool { return !f.CreatedAt.Before(c.state.Local.Rebuilt) }
	last := ps.NextNumber
	for _, f := range ps.Freight {
		if fresh(f) && f.Number > 0 {
			last-- // it is numbered anew
		}
	}
	for _, f := range carried {
		last = max(last, f.Number)
	}
	for i, f := range ps.Freight {
		if !fresh(f) || f.Number == 0 {
			continue
		}
		again := *f
		if was := carried[f.ID]; was != nil {
			again.Number, again.CreatedAt = was.Number, was.CreatedAt
		} else {
			last++
			again.Number = last
		}
		ps.Freight[i] = &again
	}
	for _, id := range sortedKeys(carried) {
		if c.state.FreightByID(pipeline, id) == nil {
			ps.Freight = append(ps.Freight, carried[id])
		}
	}
	slices.SortStableFunc(ps.Freight, func(a, b *Freight) int { return cmp.Compare(a.Number, b.Number) })
	ps.NextNumber = last
	c.touchPipeline(pipeline)
}
