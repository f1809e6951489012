package eventlog

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/palantir/go-githubapp/githubapp"

	"github.com/stagecoach-app/stagecoach/server/eventlog/intake"
)

// Many callers, each with a lane of its own, two with one between them, and each GUID
// sent twice.
func TestACrowdComesInOrderAndOnce(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	const callers, each = 16, 12
	var all sync.WaitGroup
	shared := false
	for c := range callers {
		all.Go(func() {
			key := fmt.Sprint("r", c/2)
			for n := range each {
				for range 2 {
					if _, err := l.Accept(t.Context(), fmt.Sprintf("%d-%d", c, n), "push", key, []byte(key)); err != nil {
						t.Error(err)
					}
				}
				if c == 0 {
					shared = shared || l.crowd.queue.Len() > 0
				}
			}
		})
	}
	all.Wait()
	if !shared {
		t.Error("all went straight on: this test shows nothing")
	}
	w := run(t, l)
	next := map[int]int{} // by caller
	for range callers * each {
		e := w.next()
		var c, n int
		_, err := fmt.Sscanf(e.GUID, "%d-%d", &c, &n)
		ok(t, err)
		if n != next[c] || string(e.Payload) != e.Key || e.Key != fmt.Sprint("r", c/2) || e.Type != "push" {
			t.Errorf("%s came with %q in lane %s, and number %d was due", e.GUID, e.Payload, e.Key, next[c])
		}
		next[c]++
		ok(t, l.Done(t.Context(), e))
	}
	quiet(t, l, w)
	eventually(t, "the intake to be empty", l.crowd.queue.Idle)
	if left := onDisk(t, l.opts.Intake, ""); len(left) > 0 {
		t.Errorf("payloads are left in %v", left)
	}
}

// leftIn writes into the intake of a log to come what a process that died left there.
func leftIn(t *testing.T, dir string, events ...Event) {
	t.Helper()
	q, err := intake.Open(dir)
	ok(t, err)
	for _, e := range events {
		data, err := pack(e)
		ok(t, err)
		if e.Key == "" {
			data = []byte("no record of ours")
		}
		ok(t, q.Append(t.Context(), token(e.GUID), data))
	}
	ok(t, q.Close())
}

// A process may die before the log has what it took in, and after it, and after the
// event was done: before the record is dropped in each case.
func TestWhatTheIntakeHoldsAfterACrashIsDoneOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	eng := newEngine(t, dir)
	opts := Options{Alone: true, Intake: filepath.Join(dir, "intake")}
	before := newLog(t, eng.JetStream(), opts)
	for _, guid := range []string{"done", "aside", "held"} {
		accept(t, before, guid, "r1")
	}
	w := run(t, before)
	ok(t, before.Done(t.Context(), w.next()))
	ok(t, before.SetAside(t.Context(), w.next(), "no luck"))
	w.next()
	w.stop()
	before.Close(t.Context())
	ok(t, eng.Close())

	at := time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC)
	left := func(guid, key string) Event {
		return Event{GUID: guid, Type: "push", Key: key, Payload: []byte("first\nsecond " + guid), ReceivedAt: at}
	}
	leftIn(t, opts.Intake, left("done", "r1"), left("held", "r1"), left("new/1", "r1"), left("aside", "r1"), left("junk", ""), left("other", "r2"))
	l := newLog(t, newEngine(t, dir).JetStream(), opts)
	accept(t, l, "late", "r1")
	w = run(t, l)
	lanes := map[string][]string{}
	for range 5 {
		e := w.next()
		lanes[e.Key] = append(lanes[e.Key], e.GUID)
		if e.GUID == "new/1" && (string(e.Payload) != "first\nsecond new/1" || !e.ReceivedAt.Equal(at) || e.Type != "push") {
			t.Errorf("it came as %+v", e)
		}
		ok(t, l.Done(t.Context(), e))
	}
	if want := []string{"held", "new/1", "aside", "late"}; !slices.Equal(lanes["r1"], want) || !slices.Equal(lanes["r2"], []string{"other"}) {
		t.Errorf("there came %v", lanes)
	}
	quiet(t, l, w)
	aside, err := l.Aside(t.Context())
	ok(t, err)
	if len(aside) != 1 || aside[0].GUID != "junk" || aside[0].Key != unreadable || aside[0].Reason == "" {
		t.Errorf("set aside are %+v", aside)
	}
}

func TestWhatWaitsInTheIntakeIsKnownAndTakesRoom(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{KeyOf: keyOf})
	l.crowd.stop() // nothing comes into the log any more
	l.crowd.drained.Wait()
	for range straightOn {
		l.crowd.straight <- struct{}{}
	}
	ok(t, l.Schedule(t.Context(), dispatch("g1", "{}")))
	ok(t, l.Schedule(t.Context(), dispatch("g1", "{}")))
	for range straightOn {
		<-l.crowd.straight
	}
	ok(t, l.Schedule(t.Context(), dispatch("g2", "{}"))) // it must not pass g1
	for guid, want := range map[string]bool{"g1": true, "g2": true, "g3": false} {
		if knows, err := l.Knows(t.Context(), guid); err != nil || knows != want {
			t.Errorf("knows %s: %v, %v", guid, knows, err)
		}
	}
	settled(t, l, Stats{Waiting: 2})
	l.crowd.most = 1
	if err := l.Schedule(t.Context(), dispatch("g3", "{}")); !errors.Is(err, githubapp.ErrCapacityExceeded) {
		t.Errorf("a full intake gave %v", err)
	}
	accept(t, l, "ours", "r1") // is never refused
	l.crowd.most = intakeBytes
	ok(t, l.crowd.queue.Close())
	for range straightOn {
		l.crowd.straight <- struct{}{}
	}
	if err := l.Schedule(t.Context(), dispatch("g4", "{}")); !errors.Is(err, githubapp.ErrCapacityExceeded) {
		t.Errorf("an intake that takes nothing gave %v", err)
	}
}

func TestAnIntakeIsForOneProcess(t *testing.T) {
	t.Parallel()
	if _, err := (Options{Intake: t.TempDir()}).withDefaults(); err == nil {
		t.Error("several processes would share an intake")
	}
}

func TestWhatCouldNotComeIntoTheLogStaysInTheIntake(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	for range straightOn {
		l.crowd.straight <- struct{}{}
	}
	l.js.Conn().Close()
	accept(t, l, "g1", "r1")
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	l.Close(soon)
	q, err := intake.Open(l.opts.Intake)
	ok(t, err)
	if !q.Has("g1") {
		t.Error("an event was answered for, and is nowhere")
	}
	ok(t, q.Close())
}
