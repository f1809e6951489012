package promotion

import (
	"cmp"
	"maps"
	"slices"
)

// forgetEnded keeps every live promotion and the last that ended. What is older goes
// into a comment of the tracking issue, several at a time. Where there is no issue the
// check runs are what remains.
func (c *core) forgetEnded(name string) {
	ended := 0
	for _, pr := range c.state.Pipelines[name].Promotions {
		if c.settled(pr) {
			ended++
		}
	}
	if ended <= endedMemory {
		return
	}
	old := make([]*Promotion, 0, ended)
	for _, pr := range c.state.Pipelines[name].Promotions {
		if c.settled(pr) {
			old = append(old, pr)
		}
	}
	slices.SortFunc(old, func(a, b *Promotion) int {
		return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.Name, b.Name))
	})
	switch {
	case c.state.Issue == 0 || c.state.Repo.NoIssues:
		c.dropPromotions(name, namesOf(old[:ended-endedMemory]))
	case ended >= endedMemory+historyBatch && !c.writesHistory(name):
		c.writeHistory(name, old[:historyBatch])
	case ended > mostEnded:
		c.dropPromotions(name, namesOf(old[:ended-mostEnded]))
	}
}

func (c *core) dropPromotions(pipeline string, names []string) {
	ps := c.pipe(pipeline)
	ps.Promotions = slices.DeleteFunc(ps.Promotions, func(pr *Promotion) bool { return slices.Contains(names, pr.Name) })
}

func namesOf(promotions []*Promotion) []string {
	out := make([]string, len(promotions))
	for i, pr := range promotions {
		out[i] = pr.Name
	}
	return out
}

// settled reports whether a promotion has ended and nothing is left to do for it.
func (c *core) settled(pr *Promotion) bool {
	if !pr.Phase.Terminal() {
		return false
	}
	for _, e := range c.state.Local.Pending {
		if e.Promotion == pr.Name {
			return false
		}
	}
	return true
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// forgetComments drops answered comments that are old or too many.
func (c *core) forgetComments() {
	extra := len(c.state.Comments) - commentMemory
	c.state.Comments = slices.DeleteFunc(c.state.Comments, func(s *CommentState) bool {
		old := c.now.Sub(s.At) > commentAge
		if !s.Done || !old && extra <= 0 {
			return false
		}
		extra--
		return true
	})
}
