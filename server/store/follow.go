package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// followers are those who want to hear of changes. One watch serves all of them; it
// runs while there is one.
type followers struct {
	mu      sync.Mutex
	of      map[int64]map[chan struct{}]bool // by repository
	watcher jetstream.KeyWatcher             // nil: nobody follows
	over    chan struct{}                    // closed when the watch has ended
}

// Follow tells of changes of a repository's state, also of those that other processes
// make: changed gets a value after each, or one after several. Call stop in the end.
func (s *Store) Follow(ctx context.Context, repo int64) (changed <-chan struct{}, stop func(), err error) {
	f := &s.followers
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watcher == nil {
		if err := s.watchStates(ctx); err != nil {
			return nil, nil, err
		}
	}
	tell := make(chan struct{}, 1)
	if f.of[repo] == nil {
		f.of[repo] = map[chan struct{}]bool{}
	}
	f.of[repo][tell] = true
	return tell, sync.OnceFunc(func() { f.leave(repo, tell) }), nil
}

// watchStates begins the watch; the caller holds the lock.
func (s *Store) watchStates(ctx context.Context) error {
	watcher, err := s.kv.Watch(context.WithoutCancel(ctx), stateKey(0)[:len("state.")]+"*", jetstream.UpdatesOnly(), jetstream.MetaOnly())
	if err != nil {
		return fmt.Errorf("watch the states of repositories: %w", err)
	}
	f := &s.followers
	f.watcher, f.of, f.over = watcher, map[int64]map[chan struct{}]bool{}, make(chan struct{})
	go func(over chan struct{}) {
		defer close(over)
		for u := range watcher.Updates() {
			if u == nil {
				continue
			}
			if id, err := strconv.ParseInt(strings.TrimPrefix(u.Key(), "state."), 10, 64); err == nil {
				f.tell(id)
			}
		}
	}(f.over)
	return nil
}

func (f *followers) tell(repo int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for changed := range f.of[repo] {
		select {
		case changed <- struct{}{}:
		default: // it has not taken the last one yet
		}
	}
}

// leave takes one away, and ends the watch after the last.
func (f *followers) leave(repo int64, changed chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if delete(f.of[repo], changed); len(f.of[repo]) == 0 {
		delete(f.of, repo)
	}
	if len(f.of) == 0 {
		f.end()
	}
}

// end stops the watch; the caller holds the lock.
func (f *followers) end() {
	if f.watcher != nil {
		_ = f.watcher.Stop()
		f.watcher = nil
	}
}

// close ends the watch and waits for it.
func (f *followers) close() {
	f.mu.Lock()
	f.end()
	over := f.over
	f.mu.Unlock()
	if over != nil {
		<-over
	}
}

// Revision gives the revision of a repository's state without reading it; 0: there
// is none.
func (s *Store) Revision(ctx context.Context, repo int64) (uint64, error) {
	e, err := s.kv.Get(ctx, stateKey(repo))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at the state of repository %d: %w", repo, err)
	}
	return e.Revision(), nil
}
