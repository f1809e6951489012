package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// asked counts questions, each of which takes a second and is answered by when it was put.
type asked struct {
	shared[string, time.Time]
	mu  sync.Mutex
	n   map[string]int
	err error
}

func (a *asked) want(ctx context.Context, key string) (time.Time, error) {
	return a.ask(ctx, key, func(ctx context.Context) (time.Time, error) {
		a.mu.Lock()
		a.n[key]++
		a.mu.Unlock()
		put := time.Now()
		select {
		case <-time.After(time.Second):
			return put, a.err
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("asked in vain: %w", ctx.Err())
		}
	})
}

// However many ask at a time, each gets an answer to a question that was put after it asked.
func TestQuestionsAreShared(t *testing.T) {
	silent := errors.New("no answer")
	for _, c := range []struct {
		what  string
		every time.Duration // between two who ask
		most  int           // questions about each of two keys
		err   error
		leave int // who of them goes away after half a second; 0: nobody
	}{
		{"all at once", 0, 2, nil, 0},
		{"one after the other", 1500 * time.Millisecond, 50, nil, 0},
		{"a few at a time", 100 * time.Millisecond, 7, nil, 0},
		{"without an answer", 0, 2, silent, 0},
		{"the first goes away while it asks", 0, 3, nil, 1},
		{"the first of those who wait goes away", 100 * time.Millisecond, 7, nil, 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &asked{n: map[string]int{}, err: c.err}
				var all sync.WaitGroup
				for i := range 50 {
					for _, key := range []string{"one", "other"} {
						ctx, leave := context.WithCancel(t.Context())
						all.Go(func() {
							defer leave()
							began := time.Now()
							if i+1 == c.leave {
								time.AfterFunc(500*time.Millisecond, leave)
							}
							put, err := a.want(ctx, key)
							switch {
							case i+1 == c.leave:
								if !errors.Is(err, context.Canceled) {
									t.Errorf("who went away got %v", err)
								}
							case !errors.Is(err, c.err):
								t.Errorf("%d: %v", i, err)
							case put.Before(began):
								t.Errorf("%d asked at %v and got an answer of %v", i, began, put)
							}
						})
						synctest.Wait()
					}
					time.Sleep(c.every)
				}
				all.Wait()
				for key, n := range a.n {
					if n > c.most {
						t.Errorf("%d questions about %s, want at most %d", n, key, c.most)
					}
				}
				if len(a.n) != 2 || len(a.lines) != 0 {
					t.Errorf("asked about %v; %d are still waited for", a.n, len(a.lines))
				}
			})
		})
	}
}
