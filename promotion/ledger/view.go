package ledger

import (
	"cmp"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// view is a state as the drawing functions read it.
type view struct {
	s     *promotion.State
	links Links
	now   time.Time
	most  limits
	pipes []*pipe
}

func newView(s *promotion.State, links Links, now time.Time) *view {
	v := &view{s: s, links: links, now: now, most: levels[0]}
	names := map[string]bool{}
	for name := range s.Pipelines {
		names[name] = true
	}
	for name := range s.Local.Config {
		names[name] = true
	}
	for name := range names {
		v.pipes = append(v.pipes, newPipe(name, s.Local.Config[name], s.Pipelines[name]))
	}
	// The default pipeline first: it is the one that most repositories have.
	slices.SortFunc(v.pipes, func(a, b *pipe) int {
		return cmp.Or(rank(a.name)-rank(b.name), cmp.Compare(a.name, b.name))
	})
	return v
}

func rank(pipeline string) int {
	if pipeline == promotion.DefaultPipeline {
		return 0
	}
	return 1
}
