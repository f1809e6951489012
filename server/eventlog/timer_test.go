package eventlog

import (
	"testing"
	"time"
)

func TestWakeIsOnTimeAndOnce(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{})
	w := run(t, l)
	ok(t, l.Wake(t.Context(), "r1", time.Now().Add(time.Hour)))
	ok(t, l.Wake(t.Context(), "r2", time.Now().Add(time.Second)))
	ok(t, l.Wake(t.Context(), "r2", time.Time{})) // taken back
	at := time.Now().Add(300 * time.Millisecond)
	ok(t, l.Wake(t.Context(), "r1", at)) // replaces the first
	e := w.next()
	if e.Type != WakeType || e.Key != "r1" || len(e.Payload) != 0 || e.GUID == wakeSubject {
		t.Errorf("got %+v", e)
	}
	if early := time.Until(at); early > 0 {
		t.Errorf("woken %s too early", early)
	}
	ok(t, l.Done(t.Context(), e))
	s, err := l.Stats(t.Context())
	ok(t, err)
	if s.Timers != 0 {
		t.Errorf("%d timers are left", s.Timers)
	}
	quiet(t, l, w)
	// The same again, under a new name: what was done does not swallow it.
	ok(t, l.Wake(t.Context(), "r1", at))
	again := w.next()
	if again.Key != "r1" || again.GUID == e.GUID {
		t.Errorf("got %+v", again)
	}
	ok(t, l.Retry(t.Context(), again, 0, "busy"))
	third := w.next()
	if third.GUID != again.GUID || third.Tries != 1 || third.Type != WakeType {
		t.Errorf("tried again: %+v", third)
	}
	ok(t, l.Done(t.Context(), third))
}

func TestWakeOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	eng := newEngine(t, dir)
	l := newLog(t, eng.JetStream(), Options{Alone: true})
	ok(t, l.Wake(t.Context(), "r1", time.Now().Add(200*time.Millisecond)))
	ok(t, l.Wake(t.Context(), "r2", time.Now().Add(time.Hour)))
	l.Close(t.Context())
	ok(t, eng.Close())

	l = newLog(t, newEngine(t, dir).JetStream(), Options{Alone: true})
	if e := run(t, l).next(); e.Key != "r1" || e.Type != WakeType {
		t.Errorf("got %+v", e)
	}
	if s, err := l.Stats(t.Context()); err != nil || s.Timers != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestWholeSecond(t *testing.T) {
	t.Parallel()
	base := time.Unix(1000, 0)
	for d, want := range map[time.Duration]time.Duration{0: 0, 1: time.Second, 999 * time.Millisecond: time.Second, time.Second: time.Second} {
		if got := wholeSecond(base.Add(d)).Sub(base); got != want {
			t.Errorf("%s: %s", d, got)
		}
	}
}
