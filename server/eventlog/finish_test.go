package eventlog

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestRetryComesAgainAndOthersPass(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	accept(t, l, "g1", "r1")
	accept(t, l, "g2", "r1")
	w := run(t, l)
	e := w.next()
	ok(t, l.Retry(t.Context(), e, 0, "no \"luck\"\n")) // the next full second
	ok(t, l.Done(t.Context(), w.next()))
	again := w.next()
	if again.GUID != "g1" || again.Tries != 1 || again.Reason != "no \"luck\"\n" || string(again.Payload) != "g1 of r1" || !again.ReceivedAt.Equal(e.ReceivedAt) {
		t.Errorf("got %+v", again)
	}
	ok(t, l.Done(t.Context(), again))
	quiet(t, l, w)
}

func TestRetryWaitsAndIsCounted(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	accept(t, l, "g1", "r1")
	w := run(t, l)
	ok(t, l.Retry(t.Context(), w.next(), time.Hour, "later"))
	settled(t, l, Stats{Retrying: 1})
	// A redelivery does not wait for it, and then nothing is left to try.
	if !accept(t, l, "g1", "r1") {
		t.Error("the redelivery was not taken")
	}
	ok(t, l.Retry(t.Context(), w.next(), time.Second, "later"))
	ok(t, l.Done(t.Context(), w.next()))
	quiet(t, l, w)
	settled(t, l, Stats{})
}

// A crash between the two writes of Retry or Done leaves an event in two places.
func TestTwoCopiesRunOnce(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	accept(t, l, "g1", "r1")
	w := run(t, l)
	e := w.next()
	ref := bodyRef{}
	copyOf := func(last string) {
		_, err := l.js.PublishMsg(t.Context(), ref.message(l.subject("r1", last), e))
		ok(t, err)
	}
	copyOf("g1") // while it is under way
	accept(t, l, "g2", "r1")
	two := w.next()
	if two.GUID != "g2" {
		t.Errorf("%s is under way twice", two.GUID)
	}
	ok(t, l.Done(t.Context(), e))
	copyOf("g1") // when it is done
	ok(t, l.Done(t.Context(), two))
	quiet(t, l, w)
}

func TestLastTryIsSetAside(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{MaxTries: 2})
	accept(t, l, "g1", "r1")
	w := run(t, l)
	ok(t, l.Retry(t.Context(), w.next(), 0, "first"))
	ok(t, l.Retry(t.Context(), w.next(), 0, "second"))
	list, err := l.Aside(t.Context())
	ok(t, err)
	if len(list) != 1 || list[0].GUID != "g1" || list[0].Reason != "second" || list[0].Tries != 2 || list[0].Size != len("g1 of r1") || list[0].Type != "push" || list[0].Key != "r1" {
		t.Fatalf("%+v", list)
	}
	quiet(t, l, w)
}

func TestReplay(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	w := run(t, l)
	for _, guid := range []string{"g1", "g2"} {
		accept(t, l, guid, "r1")
		ok(t, l.SetAside(t.Context(), w.next(), "broken"))
	}
	ok(t, l.Replay(t.Context(), "g1"))
	e := w.next()
	if e.GUID != "g1" || e.Tries != 0 || e.Reason != "" || string(e.Payload) != "g1 of r1" {
		t.Errorf("replayed %+v", e)
	}
	if err := l.Replay(t.Context(), "g1"); err == nil {
		t.Error("replayed twice")
	}
	ok(t, l.Done(t.Context(), e))
	if !accept(t, l, "g2", "r1") { // GitHub's own redelivery
		t.Error("a redelivery of one that was set aside is not taken")
	}
	ok(t, l.Done(t.Context(), w.next()))
	settled(t, l, Stats{})
	quiet(t, l, w)
}

// A record that a crash left aside is not shown when its event is done.
func TestAsideLeavesOutWhatIsDone(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	accept(t, l, "g1", "r1")
	w := run(t, l)
	e := w.next()
	ok(t, l.putAside(t.Context(), e, bodyRef{}, "crashed after this"))
	ok(t, l.Done(t.Context(), e))
	if list, err := l.Aside(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestStrangeMessagesAreSetAside(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	_, err := l.js.Publish(t.Context(), l.subject("r1", "x"), []byte("who am I"))
	ok(t, err)
	w := run(t, l)
	quiet(t, l, w)
	list, err := l.Aside(t.Context())
	ok(t, err)
	if len(list) != 1 || list[0].Key != unreadable || list[0].Size != 8 {
		t.Errorf("%+v", list)
	}
}

// settled waits until the server's counts, which follow a write by moments, are as
// wanted.
func settled(t *testing.T, l *Log, want Stats) {
	t.Helper()
	eventually(t, fmt.Sprintf("the counts %+v", want), func() bool {
		s, err := l.Stats(t.Context())
		s.Bytes = want.Bytes
		return err == nil && s == want
	})
}

func TestStats(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := alone(t, Options{Now: func() time.Time { return now }})
	settled(t, l, Stats{})
	for i := range 3 {
		accept(t, l, fmt.Sprintf("g%d", i), "r1")
	}
	ok(t, l.Wake(t.Context(), "r1", time.Now().Add(time.Hour)))
	settled(t, l, Stats{Waiting: 3, Timers: 1, Oldest: now})
	w := run(t, l)
	events, _ := w.take(3)
	settled(t, l, Stats{InFlight: 3, Timers: 1, Oldest: now})
	for _, e := range events[:2] {
		ok(t, l.Done(t.Context(), e))
	}
	ok(t, l.SetAside(t.Context(), events[2], "broken"))
	settled(t, l, Stats{Timers: 1, Aside: 1})
}

func TestEventHeaderRoundTrip(t *testing.T) {
	t.Parallel()
	for _, e := range []Event{
		{GUID: "g", Type: "push", Key: "r1", ReceivedAt: time.Unix(1, 5).UTC()},
		{GUID: "g", Type: "stagecoach.x", Key: "i1", ReceivedAt: time.Unix(1, 0).UTC(), Tries: 3, Reason: "ä\r\nX: y"},
	} {
		got, err := fromHeader(e.header())
		if err != nil || fmt.Sprint(got) != fmt.Sprint(e) {
			t.Errorf("got %+v, %v; want %+v", got, err, e)
		}
	}
}

func FuzzToken(f *testing.F) {
	for _, s := range []string{"72d3162e-cc78-11e3-81ab-4c9367dc0958", "", "wake", "a.b", "a b", "*", ">", "\r\nX: y"} {
		f.Add(s, "other")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !isToken(token(a)) || token(a) == wakeSubject {
			t.Errorf("token(%q) = %q", a, token(a))
		}
		if a != b && token(a) == token(b) {
			t.Errorf("%q and %q have one token", a, b)
		}
		if p := printable(a); slices.ContainsFunc([]rune(p), func(r rune) bool { return r <= ' ' || r > '~' }) || token(p) != token(a) {
			t.Errorf("printable(%q) = %q", a, p)
		}
	})
}
