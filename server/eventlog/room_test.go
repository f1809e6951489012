package eventlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/palantir/go-githubapp/githubapp"
)

func TestAFullLogRefusesDeliveriesUntilItHasRoom(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{KeyOf: keyOf, MaxBytes: 100 << 10})
	payload := "{" + strings.Repeat(" ", 10<<10) + "}"
	var refused error
	taken := 0
	eventually(t, "the log to refuse", func() bool {
		if refused = l.Schedule(t.Context(), dispatch(fmt.Sprint("g", taken), payload)); refused == nil {
			taken++
		}
		return refused != nil
	})
	if !errors.Is(refused, githubapp.ErrCapacityExceeded) {
		t.Fatalf("it was refused with %v, and the dispatcher answers 500", refused)
	}
	accept(t, l, "ours", "r1") // what empties the log is never refused
	w := run(t, l)
	for range taken + 1 {
		ok(t, l.Done(t.Context(), w.next()))
	}
	eventually(t, "the log to have room again", func() bool {
		return l.Schedule(t.Context(), dispatch("again", payload)) == nil
	})
}

func TestKnows(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{Partitions: 4})
	knows := func(guid string, want bool) {
		t.Helper()
		got, err := l.Knows(t.Context(), guid)
		ok(t, err)
		if got != want {
			t.Errorf("knows %s: %v", guid, got)
		}
	}
	knows("g1", false)
	for _, guid := range []string{"g1", "g2", "g3", "g4"} {
		accept(t, l, guid, "r"+guid)
	}
	knows("g1", true) // it waits
	w := run(t, l)
	for range 4 {
		switch e := w.next(); e.GUID {
		case "g2":
			ok(t, l.Done(t.Context(), e))
		case "g3":
			ok(t, l.Retry(t.Context(), e, time.Hour, "later"))
		case "g4":
			ok(t, l.SetAside(t.Context(), e, "never"))
		}
	}
	for _, guid := range []string{"g1", "g2", "g3", "g4"} {
		knows(guid, true)
	}
	knows("g5", false)
}

// An event whose next place could not be written must not stay with a process that
// no longer works on it.
func TestWhatCouldNotBePutOffComesAgain(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{AckWait: time.Second})
	accept(t, l, "g1", "r1")
	w := run(t, l)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Retry(gone, w.next(), 0, "it failed"); err == nil {
		t.Error("Retry hides that nothing was scheduled")
	}
	if err := l.SetAside(gone, w.next(), "it failed"); err == nil {
		t.Error("SetAside hides that nothing was set aside")
	}
	e := w.next()
	if e.GUID != "g1" || e.Tries != 0 {
		t.Errorf("got %+v", e)
	}
	ok(t, l.Done(t.Context(), e))
	quiet(t, l, w)
}
