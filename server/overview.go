package server

import (
	"context"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// mostReads is how many states one look reads at most. After a start with more repositories than that the next looks
// read on.
const mostReads = 1000

// overview sums up the states of all repositories: of those that other processes work on too, since the store tells of
// each change. Only what changed is read again, and only when somebody looks.
type overview struct {
	mu    sync.Mutex
	dirty map[int64]bool
	sums  map[int64][]stageSum
	stop  func() // nil: nobody has looked yet
}

// stageSum is one stage as it stands.
type stageSum struct {
	repository, pipeline, stage string
	queued, running, waiting    int
	healthy                     bool
	since                       time.Time // when what it holds landed; zero: it holds nothing
}

// states is what an overview reads from.
type states interface {
	Changes(ctx context.Context, tell func(repo int64)) (stop func(), err error)
	Load(ctx context.Context, repo int64) (*promotion.State, uint64, error)
}

func newOverview() *overview {
	return &overview{dirty: map[int64]bool{}, sums: map[int64][]stageSum{}}
}

func (o *overview) changed(repo int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dirty[repo] = true
}

// look reads what changed, and gives all sums.
func (o *overview) look(ctx context.Context, from states) ([]stageSum, error) {
	if err := o.follow(ctx, from); err != nil {
		return nil, err
	}
	for _, repo := range o.take() {
		state, _, err := from.Load(ctx, repo)
		if err != nil {
			o.changed(repo)
			return nil, err
		}
		o.mu.Lock()
		if o.sums[repo] = sumUp(state); len(o.sums[repo]) == 0 {
			delete(o.sums, repo)
		}
		o.mu.Unlock()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []stageSum
	for _, sums := range o.sums {
		all = append(all, sums...)
	}
	return all, nil
}

// follow begins to listen for changes, once.
func (o *overview) follow(ctx context.Context, from states) error {
	o.mu.Lock()
	begun := o.stop != nil
	if !begun {
		o.stop = func() {}
	}
	o.mu.Unlock()
	if begun {
		return nil
	}
	stop, err := from.Changes(ctx, o.changed)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stop = stop; err != nil {
		o.stop = nil
	}
	return err
}

// take gives some of the repositories that changed.
func (o *overview) take() []int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []int64
	for repo := range o.dirty {
		if len(out) == mostReads {
			break
		}
		out = append(out, repo)
		delete(o.dirty, repo)
	}
	return out
}

// close ends listening.
func (o *overview) close() {
	o.mu.Lock()
	stop := o.stop
	o.stop = func() {}
	o.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// sumUp is nothing for a repository without a state.
func sumUp(state *promotion.State) []stageSum {
	if state == nil {
		return nil
	}
	var out []stageSum
	for name, ps := range state.Pipelines {
		at := map[string]*stageSum{}
		stage := func(s string) *stageSum {
			if at[s] == nil {
				at[s] = &stageSum{repository: state.Repo.FullName(), pipeline: name, stage: s, healthy: true}
			}
			return at[s]
		}
		for s, st := range ps.Stages {
			sum := stage(s)
			if sum.healthy = !st.Health.Bad; st.Current != nil {
				sum.since = st.Current.At
			}
		}
		for _, p := range ps.Promotions {
			switch sum := stage(p.Stage); p.Phase {
			case promotion.PhaseQueued:
				sum.queued++
			case promotion.PhaseRunning:
				sum.running++
			case promotion.PhaseWaiting:
				sum.waiting++
			}
		}
		for _, sum := range at {
			out = append(out, *sum)
		}
	}
	return out
}
