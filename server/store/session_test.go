package store

import (
	"strings"
	"testing"
	"time"
)

var sessionName = strings.Repeat("0f", 32)

func TestSessions(t *testing.T) {
	js := serve(t, t.TempDir())
	one, two := open(t, js), open(t, js)
	ctx := t.Context()
	value, revision, err := one.Session(ctx, sessionName)
	ok(t, err)
	if value != nil || revision != 0 {
		t.Fatalf("there is a session before anybody signed in: %q", value)
	}
	ok(t, one.SetSession(ctx, sessionName, []byte("first"), 0, time.Hour))
	wants(t, two.SetSession(ctx, sessionName, []byte("other"), 0, time.Hour), ErrLost)
	value, revision, err = two.Session(ctx, sessionName) // another process sees it
	ok(t, err)
	if string(value) != "first" {
		t.Errorf("got %q", value)
	}
	ok(t, two.SetSession(ctx, sessionName, []byte("second"), revision, time.Hour))
	wants(t, one.SetSession(ctx, sessionName, []byte("late"), revision, time.Hour), ErrLost)
	_, revision, err = one.Session(ctx, sessionName)
	ok(t, err)

	// Who was about to write when it was dropped does not bring it back.
	ok(t, two.DropSession(ctx, sessionName))
	ok(t, two.DropSession(ctx, sessionName))
	wants(t, one.SetSession(ctx, sessionName, []byte("back"), revision, time.Hour), ErrLost)
	if value, _, err := one.Session(ctx, sessionName); err != nil || value != nil {
		t.Errorf("after it was dropped: %q, %v", value, err)
	}
}

// The server forgets a session by itself, whether or not anybody asks for it.
func TestSessionsEnd(t *testing.T) {
	s := newStore(t)
	ok(t, s.SetSession(t.Context(), sessionName, []byte("x"), 0, 90*time.Minute))
	msg, err := s.stream.GetLastMsgForSubject(t.Context(), subjectRoot+"session."+sessionName)
	ok(t, err)
	if ttl := msg.Header.Get("Nats-TTL"); ttl != "1h30m0s" {
		t.Errorf("its time to live is %q", ttl)
	}
	cfg := s.stream.CachedInfo().Config
	if !cfg.AllowMsgTTL {
		t.Error("the bucket does not heed times to live")
	}
}

func TestSessionNames(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"", "*", ">", "a.b", strings.Repeat("F", 64), strings.Repeat("0", 63)} {
		if err := s.SetSession(t.Context(), name, nil, 0, time.Hour); err == nil {
			t.Errorf("%q was taken for a name", name)
		}
		if _, _, err := s.Session(t.Context(), name); err == nil {
			t.Errorf("%q was looked for", name)
		}
		if err := s.DropSession(t.Context(), name); err == nil {
			t.Errorf("%q was dropped: a wildcard would drop all", name)
		}
	}
}
