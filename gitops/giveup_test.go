package gitops_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
)

// TestGivingUpInTheQueue lets one give up whose update was not sent yet, and one
// whose push is under way.
func TestGivingUpInTheQueue(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	arrived, let := s.hold()
	defer let()
	push := func(ctx context.Context, name string) <-chan error {
		got := make(chan error, 1)
		go func() { got <- r.UpdateRefs(ctx, gitops.RefUpdate{Ref: "refs/heads/" + name, New: base})[0] }()
		return got
	}
	first := push(t.Context(), "first")
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	second := push(ctx, "second")
	cancel()
	wantIs(t, <-second, context.Canceled)
	third := push(t.Context(), "third")
	let()
	if err := errors.Join(<-first, <-third); err != nil {
		t.Error(err)
	}
	if got := s.git("", "for-each-ref", "--format=%(refname:short)"); got != "first\nmain\nthird" {
		t.Errorf("branches %q", got)
	}
}

// TestGivingUpWhatWasSent holds pushes at the server: one that somebody still waits
// for goes on when another gives up, and one that nobody waits for ends.
func TestGivingUpWhatWasSent(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	if err := r.UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/warm", New: base})[0]; err != nil {
		t.Fatal(err)
	}
	arrived, let, ended := make(chan int), make(chan struct{}, 2), make(chan struct{}, 4)
	s.SetFault(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method == http.MethodGet {
			return false
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		select {
		case arrived <- bytes.Count(body, []byte("refs/heads/")):
		case <-r.Context().Done():
		}
		select {
		case <-let:
			return false
		case <-r.Context().Done():
			ended <- struct{}{}
			return true
		}
	})
	push := func(ctx context.Context, name string) <-chan error {
		got := make(chan error, 1)
		go func() { got <- r.UpdateRefs(ctx, gitops.RefUpdate{Ref: "refs/heads/" + name, New: base})[0] }()
		return got
	}
	alone, giveUp := context.WithCancel(t.Context())
	first := push(alone, "first")
	soon(t, arrived)
	giveUp()
	wantIs(t, soon(t, first), context.Canceled)
	soon(t, ended) // the server learnt of it

	second := push(t.Context(), "second")
	soon(t, arrived)
	ctx, giveUp := context.WithCancel(t.Context())
	third, fourth := push(ctx, "third"), push(t.Context(), "fourth")
	gitops.WaitQueued(r, 2)
	let <- struct{}{}
	if n := soon(t, arrived); n != 2 {
		t.Errorf("%d branches travel together", n)
	}
	giveUp()
	wantIs(t, soon(t, third), context.Canceled)
	let <- struct{}{}
	if err := errors.Join(soon(t, second), soon(t, fourth)); err != nil {
		t.Error(err)
	}
	if got := s.git("", "for-each-ref", "--format=%(refname:short)"); got != "fourth\nmain\nsecond\nthird\nwarm" {
		t.Errorf("branches %q", got)
	}
}

// soon receives what must come; a test that waits in vain says so.
func soon[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("it never came")
		panic("unreachable")
	}
}

// TestCloseWithAPushUnderWay gives up what is queued and what was sent.
func TestCloseWithAPushUnderWay(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	e := must[*gitops.Engine](t)(gitops.New(t.TempDir(), gitops.Options{}))
	arrived, let := s.hold()
	defer let()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			err := s.at(e).UpdateRefs(t.Context(), gitops.RefUpdate{Ref: fmt.Sprintf("refs/heads/b%d", i), New: base})[0]
			if !errors.Is(err, gitops.ErrClosed) {
				t.Errorf("error %v, want ErrClosed", err)
			}
		})
	}
	<-arrived
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	wantIs(t, s.at(e).UpdateRefs(t.Context(), gitops.RefUpdate{Ref: "refs/heads/b", New: base})[0], gitops.ErrClosed)
}
