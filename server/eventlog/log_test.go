package eventlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/server/engine"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		child(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// newEngine opens an embedded engine that ends with the test.
func newEngine(t *testing.T, dir string) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), engine.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func newLog(t *testing.T, js jetstream.JetStream, opts Options) *Log {
	t.Helper()
	if opts.Partitions == 0 {
		opts.Partitions = 2
	}
	l, err := Open(t.Context(), js, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(context.Background()) })
	return l
}

// alone is a log on an engine of its own.
func alone(t *testing.T, opts Options) *Log {
	t.Helper()
	dir := t.TempDir()
	opts.Alone, opts.Intake = true, filepath.Join(dir, "intake")
	return newLog(t, newEngine(t, dir).JetStream(), opts)
}

// worker collects what is delivered.
type worker struct {
	t    *testing.T
	got  chan Event
	stop func() // ends Run and waits for it
}

func run(t *testing.T, l *Log) *worker {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &worker{t: t, got: make(chan Event, 10_000)}
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx, func(e Event) { w.got <- e }) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(w.stop)
	return w
}

func (w *worker) next() Event {
	w.t.Helper()
	select {
	case e := <-w.got:
		return e
	case <-time.After(10 * time.Second):
		w.t.Fatal("nothing was delivered within 10 s")
		panic("unreachable")
	}
}

// take gives the GUIDs of the next n events, in order.
func (w *worker) take(n int) (events []Event, guids []string) {
	w.t.Helper()
	for range n {
		e := w.next()
		events, guids = append(events, e), append(guids, e.GUID)
	}
	return events, guids
}

// held counts the events that wait, are under way, or were not dropped.
func held(ctx context.Context, l *Log) int {
	info, err := l.events.Info(ctx, jetstream.WithSubjectFilter(eventRoot+">"))
	if err != nil {
		return -1
	}
	return len(info.State.Subjects)
}

// quiet fails when something was delivered, or is still to be.
func quiet(t *testing.T, l *Log, w *worker) {
	t.Helper()
	eventually(t, "the log to be empty", func() bool { return held(t.Context(), l) == 0 })
	if len(w.got) > 0 {
		t.Errorf("delivered and not expected: %+v", <-w.got)
	}
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited 10 s for %s", what)
		}
	}
}

func accept(t *testing.T, l *Log, guid, key string) bool {
	t.Helper()
	fresh, err := l.Accept(t.Context(), guid, "push", key, []byte(guid+" of "+key))
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAcceptDeliverDone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC)
	l := alone(t, Options{Now: func() time.Time { return now }})
	if !accept(t, l, "g1", "r1") {
		t.Error("a new event is not fresh")
	}
	w := run(t, l)
	e := w.next()
	e.flight = nil
	want := Event{GUID: "g1", Type: "push", Key: "r1", Payload: []byte("g1 of r1"), ReceivedAt: now}
	if fmt.Sprint(e) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", e, want)
	}
}

func TestOneGUIDIsDoneOnce(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	accept(t, l, "g1", "r1")
	if accept(t, l, "g1", "r1") {
		t.Error("a GUID that waits was stored again")
	}
	w := run(t, l)
	e := w.next()
	if accept(t, l, "g1", "r1") {
		t.Error("a GUID under way was stored again")
	}
	ok(t, l.Done(t.Context(), e))
	if accept(t, l, "g1", "r1") {
		t.Error("a GUID that is done was stored again")
	}
	quiet(t, l, w)
}

func TestOneGUIDAtOnceFromMany(t *testing.T) {
	t.Parallel()
	atOnce := func(l *Log) int {
		fresh := make([]bool, 16)
		var all sync.WaitGroup
		for i := range fresh {
			all.Go(func() { fresh[i], _ = l.Accept(t.Context(), "g1", "push", "r1", nil) })
		}
		all.Wait()
		w := run(t, l)
		ok(t, l.Done(t.Context(), w.next()))
		quiet(t, l, w)
		return len(slices.DeleteFunc(fresh, func(f bool) bool { return !f }))
	}
	if n := atOnce(alone(t, Options{})); n < 1 {
		t.Error("none was called fresh")
	}
	each := newLog(t, newEngine(t, t.TempDir()).JetStream(), Options{Alone: true}) // by a sync of its own
	if n := atOnce(each); n != 1 {
		t.Errorf("%d of 16 were called fresh", n)
	}
}

func TestDoneIsForgottenAfterItsTime(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{DoneFor: 300 * time.Millisecond})
	accept(t, l, "g1", "r1")
	ok(t, l.Done(t.Context(), run(t, l).next()))
	eventually(t, "the GUID to be forgotten", func() bool { return accept(t, l, "g1", "r1") })
}

func TestOrderPerLane(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	want := map[string][]string{}
	for i := range 60 {
		key := fmt.Sprintf("r%d", i%3)
		guid := fmt.Sprintf("g%d", i)
		accept(t, l, guid, key)
		want[key] = append(want[key], guid)
	}
	events, _ := run(t, l).take(60)
	got := map[string][]string{}
	for _, e := range events {
		got[e.Key] = append(got[e.Key], e.GUID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v", got)
	}
}

func TestSlowLaneHoldsUpNobody(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{Partitions: 1, AckWait: 2 * time.Second})
	for i := range 500 {
		accept(t, l, fmt.Sprintf("slow%d", i), "r1")
	}
	w := run(t, l)
	w.take(500) // none of them is ever finished
	accept(t, l, "quick", "r2")
	e := w.next()
	if e.GUID != "quick" {
		t.Errorf("got %s", e.GUID)
	}
	ok(t, l.Done(t.Context(), e))
	// Signs of life keep the server from sending the slow ones again.
	<-time.After(3 * time.Second)
	info, err := l.partitions[0].consumer.Info(t.Context())
	ok(t, err)
	if info.NumRedelivered != 0 || info.NumAckPending != 500 {
		t.Errorf("%d were sent again, %d are under way", info.NumRedelivered, info.NumAckPending)
	}
}

func TestUnfinishedComesFirstAfterRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	eng := newEngine(t, dir)
	l := newLog(t, eng.JetStream(), Options{Alone: true})
	for i := range 6 {
		accept(t, l, fmt.Sprintf("g%d", i), "r1")
	}
	w := run(t, l)
	events, _ := w.take(6)
	ok(t, l.Done(t.Context(), events[1])) // out of order, as a worker may
	w.stop()
	l.Close(t.Context())
	ok(t, eng.Close())

	l = newLog(t, newEngine(t, dir).JetStream(), Options{Alone: true})
	accept(t, l, "g6", "r1")
	_, guids := run(t, l).take(6)
	if want := []string{"g0", "g2", "g3", "g4", "g5", "g6"}; !slices.Equal(guids, want) {
		t.Errorf("after a restart: %v", guids)
	}
}

func TestRunOnceAtATime(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	w := run(t, l)
	accept(t, l, "g1", "r1")
	w.next()
	if err := l.Run(t.Context(), func(Event) {}); err == nil {
		t.Error("a second Run was let in")
	}
	w.stop()
	accept(t, l, "g2", "r1")
	if e := run(t, l).next(); e.GUID != "g2" {
		t.Errorf("after Run again: %s, and g1 is still under way", e.GUID)
	}
}

func TestPartitionsAreFixed(t *testing.T) {
	t.Parallel()
	js := newEngine(t, t.TempDir()).JetStream()
	newLog(t, js, Options{Partitions: 2})
	if _, err := Open(t.Context(), js, Options{Partitions: 3}); err == nil {
		t.Error("the log was opened with another number of partitions")
	}
	again, err := Open(t.Context(), js, Options{})
	if err != nil || len(again.partitions) != 2 {
		t.Fatalf("opened without saying how many: %v", err)
	}
	again.Close(t.Context())
	if l := newLog(t, newEngine(t, t.TempDir()).JetStream(), Options{Partitions: defaultPartitions}); len(l.partitions) != 64 {
		t.Errorf("%d partitions", len(l.partitions))
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	if err := l.Replay(t.Context(), "g"); !errors.Is(err, ErrNotAside) {
		t.Errorf("replay of an unknown event: %v", err)
	}
	for name, err := range map[string]error{
		"lane":         second(l.Accept(t.Context(), "g", "push", "r.1", nil)),
		"type":         second(l.Accept(t.Context(), "g", "push\r\n", "r1", nil)),
		"wake":         l.Wake(t.Context(), "", time.Now()),
		"done":         l.Done(t.Context(), Event{GUID: "g"}),
		"retry":        l.Retry(t.Context(), Event{GUID: "g"}, 0, ""),
		"aside":        l.SetAside(t.Context(), Event{GUID: "g"}, ""),
		"AckWait":      second(Open(t.Context(), l.js, Options{AckWait: time.Millisecond})),
		"no partition": second(Open(t.Context(), l.js, Options{Partitions: -1})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }
