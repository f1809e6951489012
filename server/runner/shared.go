package runner

import (
	"context"
	"errors"
	"sync"
)

// shared lets those who want the same answer at a time share the question. Nobody gets an
// answer to one that was put before they asked: it may be old already. So whoever comes
// while one is under way shares the next one, and hundreds that come at once cost two.
type shared[K comparable, V any] struct {
	mu    sync.Mutex
	lines map[K]*line[V]
}

// line is who waits for the answers of one key.
type line[V any] struct {
	now, next *question[V] // the one under way, and the one after it; nil: none
}

// question is one that is put once, by whoever came first.
type question[V any] struct {
	over chan struct{}
	v    V
	err  error
	left bool // whoever came first went away, and it was not answered
}

// ask gives an answer to a question that ask puts after the call.
func (s *shared[K, V]) ask(ctx context.Context, key K, ask func(context.Context) (V, error)) (V, error) {
	for {
		q, before, first := s.join(key)
		if first {
			s.put(ctx, key, q, before, ask)
		}
		select {
		case <-q.over:
		case <-ctx.Done():
			return q.v, ctx.Err()
		}
		if !q.left || first {
			return q.v, q.err
		}
	}
}

// join gives the question that is put next, and the one that it waits for.
func (s *shared[K, V]) join(key K) (q, before *question[V], first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines == nil {
		s.lines = map[K]*line[V]{}
	}
	l := s.lines[key]
	if l == nil {
		l = &line[V]{}
		s.lines[key] = l
	}
	if l.next == nil {
		l.next, first = &question[V]{over: make(chan struct{})}, true
	}
	return l.next, l.now, first
}

// put waits for the question before, puts this one, and tells all who share it.
func (s *shared[K, V]) put(ctx context.Context, key K, q, before *question[V], ask func(context.Context) (V, error)) {
	if before != nil {
		select {
		case <-before.over:
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	l := s.lines[key]
	l.next = nil
	if ctx.Err() == nil {
		l.now = q
	}
	s.mu.Unlock()
	if q.err = ctx.Err(); q.err == nil {
		q.v, q.err = ask(ctx)
	}
	q.left = q.err != nil && (ctx.Err() != nil || errors.Is(q.err, context.Canceled))
	s.mu.Lock()
	if l.now == q {
		l.now = nil
	}
	if l.now == nil && l.next == nil {
		delete(s.lines, key)
	}
	s.mu.Unlock()
	close(q.over)
}
