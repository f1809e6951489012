package dashboard

import (
	"context"
	"errors"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// summary is a repository in the list.
type summary struct {
	Name    string
	Needs   []string // what a person has to do, at most mostNeeds of it
	More    int      // how much more of that there is
	Running int      // promotions whose steps run
	Waiting int      // that wait: for a merge, verification, a time
	Queued  int
	Stages  int
	Idle    string // why nothing runs; empty: it may
	Unread  bool   // a newer Stagecoach wrote the state, or it is damaged
}

const (
	mostNeeds           = 3
	rememberedSummaries = 10_000
	// readAtOnce bounds how many states are in memory for one list.
	readAtOnce = 4
)

// summaries are remembered by the revision of the state that they are of.
type summaries struct{ known *lru.Cache[int64, revised] }

type revised struct {
	revision uint64
	summary  summary
}

func newSummaries() summaries {
	known, err := lru.New[int64, revised](rememberedSummaries)
	if err != nil {
		panic(err) // the size is a constant
	}
	return summaries{known}
}

// summarize sums up repositories, in their order.
func (d *Dashboard) summarize(ctx context.Context, entries []store.Entry) ([]summary, error) {
	out, failed := make([]summary, len(entries)), make([]error, len(entries))
	places := make(chan int)
	var workers sync.WaitGroup
	for range min(readAtOnce, len(entries)) {
		workers.Go(func() {
			for i := range places {
				out[i], failed[i] = d.sum(ctx, entries[i])
			}
		})
	}
	for i := range entries {
		places <- i
	}
	close(places)
	workers.Wait()
	return out, errors.Join(failed...)
}

// sum is the summary of one repository. Its state is read only when it has changed.
func (d *Dashboard) sum(ctx context.Context, e store.Entry) (summary, error) {
	revision, err := d.opts.Store.Revision(ctx, e.Repo.ID)
	if err != nil {
		return summary{}, err
	}
	if known, is := d.sums.known.Get(e.Repo.ID); is && known.revision == revision {
		known.summary.Name = e.Repo.FullName() // a new name is no new state
		return known.summary, nil
	}
	s, revision, err := d.opts.Store.Load(ctx, e.Repo.ID)
	switch {
	case errors.Is(err, store.ErrNone):
		return summary{Name: e.Repo.FullName()}, nil
	case err != nil && ctx.Err() != nil:
		return summary{}, err
	case err != nil: // one that cannot be read hides none of the others
		return summary{Name: e.Repo.FullName(), Unread: true}, nil
	}
	s.Repo = e.Repo
	out := d.sumOf(s)
	d.sums.known.Add(e.Repo.ID, revised{revision, out})
	return out, nil
}

func (d *Dashboard) sumOf(s *promotion.State) summary {
	needs := ledger.Needs(s, d.links, d.now())
	out := summary{Name: s.Repo.FullName(), Needs: needs[:min(len(needs), mostNeeds)], More: max(0, len(needs)-mostNeeds), Idle: s.Repo.Idle}
	for _, config := range s.Local.Config {
		out.Stages += len(config.Stages)
	}
	for _, ps := range s.Pipelines {
		for _, p := range ps.Promotions {
			switch p.Phase {
			case promotion.PhaseRunning:
				out.Running++
			case promotion.PhaseWaiting:
				out.Waiting++
			case promotion.PhaseQueued:
				out.Queued++
			}
		}
	}
	return out
}
