package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Changes tells of each repository that has a state before it returns, and then of each change of one, also of those that
// other processes make. tell is called by one goroutine; what it does must be quick. Call stop in the end; tell is not
// called after it.
func (s *Store) Changes(ctx context.Context, tell func(repo int64)) (stop func(), err error) {
	watcher, err := s.kv.Watch(context.WithoutCancel(ctx), stateKey(0)[:len("state.")]+"*", jetstream.MetaOnly())
	if err != nil {
		return nil, fmt.Errorf("watch the states of repositories: %w", err)
	}
	over, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for u := range watcher.Updates() {
			if u == nil { // all that were there are told; it comes once
				close(told)
				continue
			}
			if id, err := strconv.ParseInt(strings.TrimPrefix(u.Key(), "state."), 10, 64); err == nil {
				tell(id)
			}
		}
	}()
	stop = func() { _ = watcher.Stop(); <-over }
	select {
	case <-told:
		return stop, nil
	case <-over:
		return nil, errors.New("watch the states of repositories: the store was closed")
	case <-ctx.Done():
		stop()
		return nil, fmt.Errorf("watch the states of repositories: %w", ctx.Err())
	}
}
