package eventlog

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// Two processes share a log; the first dies with events under way.
func TestTakeoverKeepsTheOrder(t *testing.T) {
	t.Parallel()
	connect := small(t)
	shared := Options{Partitions: 1, AckWait: time.Second}
	dead := newLog(t, connect(), shared)
	for i := range 4 {
		accept(t, dead, fmt.Sprintf("g%d", i), "r1")
	}
	wd := run(t, dead)
	events, _ := wd.take(4)
	ok(t, dead.Done(t.Context(), events[0]))
	ok(t, dead.Done(t.Context(), events[2]))
	// It dies: neither signs of life nor requests, and nothing is handed back.
	dead.stop()
	dead.beats.Wait()
	wd.stop()

	heir := newLog(t, connect(), shared)
	accept(t, heir, "g4", "r1")
	accept(t, heir, "h0", "r2")
	wh := run(t, heir)
	_, guids := wh.take(4)
	lane := slices.DeleteFunc(slices.Clone(guids), func(g string) bool { return g == "h0" })
	if !slices.Equal(lane, []string{"g1", "g3", "g4"}) || len(lane) == len(guids) {
		t.Errorf("the heir got %v", guids)
	}
}

// A process that lives finishes what it has, although another has its partition now.
func TestHeirWaitsForTheLiving(t *testing.T) {
	t.Parallel()
	connect := small(t)
	shared := Options{Partitions: 1, AckWait: 2 * time.Second}
	first := newLog(t, connect(), shared)
	accept(t, first, "g1", "r1")
	wf := run(t, first)
	held := wf.next()
	wf.stop() // pulls no more, but gives signs of life
	first.partitions[0].unpin(t.Context())

	heir := newLog(t, connect(), shared)
	accept(t, heir, "g2", "r1")
	accept(t, heir, "h1", "r2")
	wh := run(t, heir)
	if e := wh.next(); e.GUID != "h1" {
		t.Fatalf("%s passed what is still under way elsewhere", e.GUID)
	}
	select {
	case e := <-wh.got:
		t.Fatalf("%s did not wait for g1", e.GUID)
	case <-time.After(2500 * time.Millisecond): // longer than AckWait
	}
	ok(t, first.Done(t.Context(), held))
	if e := wh.next(); e.GUID != "g2" {
		t.Errorf("got %s", e.GUID)
	}
}

// Close hands back in order, and another process has it at once.
func TestCloseHandsBack(t *testing.T) {
	t.Parallel()
	connect := small(t)
	shared := Options{Partitions: 1, AckWait: time.Minute} // nobody could wait so long
	first := newLog(t, connect(), shared)
	for i := range 3 {
		accept(t, first, fmt.Sprintf("g%d", i), "r1")
	}
	wf := run(t, first)
	wf.take(3)
	wf.stop()
	first.Close(t.Context())

	heir := newLog(t, connect(), shared)
	accept(t, heir, "g3", "r1")
	if _, guids := run(t, heir).take(4); !slices.Equal(guids, []string{"g0", "g1", "g2", "g3"}) {
		t.Errorf("got %v", guids)
	}
}
