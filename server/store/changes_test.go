package store

import (
	"context"
	"testing"
	"time"
)

// What is there is told at once; then changes are, of another process too, until stop.
func TestChanges(t *testing.T) {
	js := serve(t, t.TempDir())
	one, two := open(t, js), open(t, js)
	ctx := t.Context()
	first, err := one.Save(ctx, state(1, 1, 100), 0)
	ok(t, err)
	_, err = one.Save(ctx, state(2, 1, 300<<10), 0) // in pieces, which are not told of
	ok(t, err)
	told := make(chan int64, 100)
	stop, err := two.Changes(ctx, func(repo int64) { told <- repo })
	ok(t, err)
	if len(told) != 2 || <-told+<-told != 3 {
		t.Errorf("%d repositories are told of", len(told))
	}
	_, err = one.Save(ctx, state(1, 2, 100), first)
	ok(t, err)
	select {
	case repo := <-told:
		if repo != 1 {
			t.Errorf("told of %d", repo)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("nobody told of the change")
	}
	stop()
	_, err = one.Save(ctx, state(3, 1, 100), 0)
	ok(t, err)
	if len(told) != 0 {
		t.Error("told after stop")
	}
	late, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := two.Changes(late, func(int64) {}); err == nil {
		t.Error("a context that had ended gave a watch")
	}
}
