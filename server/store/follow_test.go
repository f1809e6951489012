package store

import (
	"testing"
	"time"
)

// waits takes the next word of a change.
func waits(t *testing.T, changed <-chan struct{}) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("nobody told of the change")
	}
}

func TestFollow(t *testing.T) {
	js := serve(t, t.TempDir())
	one, two := open(t, js), open(t, js)
	ctx := t.Context()
	first, err := one.Save(ctx, state(1, 1, 100), 0)
	ok(t, err)
	changed, stop, err := two.Follow(ctx, 1)
	ok(t, err)
	again, stopAgain, err := two.Follow(ctx, 1)
	ok(t, err)
	other, stopOther, err := two.Follow(ctx, 2)
	ok(t, err)
	large, err := one.Save(ctx, state(1, 2, 300<<10), first) // in pieces, told of once all are there
	ok(t, err)
	waits(t, changed)
	waits(t, again)
	if got, revision, err := two.Load(ctx, 1); err != nil || got.Issue != 2 || revision != large {
		t.Errorf("told of too early: %v, %v", got.Issue, err)
	}
	select {
	case <-other:
		t.Error("a follower of another repository was told")
	default:
	}
	stop()
	stop()
	_, err = one.Save(ctx, state(1, 3, 100), large)
	ok(t, err)
	waits(t, again)
	select {
	case <-changed:
		t.Error("one who left was told")
	default:
	}
	stopAgain()
	stopOther()
	if two.followers.watcher != nil {
		t.Error("nobody follows, and the watch goes on")
	}
	changed, stop, err = two.Follow(ctx, 2) // and it can begin anew
	ok(t, err)
	defer stop()
	_, err = one.Save(ctx, state(2, 1, 100), 0)
	ok(t, err)
	waits(t, changed)
}

func TestRevision(t *testing.T) {
	s := newStore(t)
	if got, err := s.Revision(t.Context(), 1); err != nil || got != 0 {
		t.Errorf("of nothing: %d, %v", got, err)
	}
	want, err := s.Save(t.Context(), state(1, 1, 100), 0)
	ok(t, err)
	if got, err := s.Revision(t.Context(), 1); err != nil || got != want {
		t.Errorf("got %d, %v; want %d", got, err, want)
	}
}
