package eventlog

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/palantir/go-githubapp/githubapp"
)

func keyOf(_ string, payload []byte) (string, bool, error) {
	switch {
	case bytes.HasPrefix(payload, []byte("{")):
		return "r1", true, nil
	case len(payload) == 0:
		return "", false, nil
	}
	return "", false, errors.New("no JSON")
}

func dispatch(guid, payload string) githubapp.Dispatch {
	return githubapp.Dispatch{EventType: "push", DeliveryID: guid, Payload: []byte(payload)}
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	l := alone(t, Options{KeyOf: keyOf})
	for _, d := range []githubapp.Dispatch{dispatch("g1", "{}"), dispatch("g1", "{}"), dispatch("g2", ""), dispatch("g3", "junk"), dispatch("", "{}"), dispatch("", "{}")} {
		ok(t, l.Schedule(t.Context(), d))
	}
	w := run(t, l)
	events, guids := w.take(2)
	if guids[0] != "g1" || !strings.HasPrefix(guids[1], "sha256-") {
		t.Errorf("delivered %v", guids)
	}
	for _, e := range events {
		ok(t, l.Done(t.Context(), e))
	}
	quiet(t, l, w)
	list, err := l.Aside(t.Context())
	ok(t, err)
	if len(list) != 1 || list[0].GUID != "g3" || !strings.Contains(list[0].Reason, "no JSON") {
		t.Errorf("set aside: %+v", list)
	}
	if err := l.Replay(t.Context(), "g3"); err == nil || !strings.Contains(err.Error(), "still cannot be read") {
		t.Errorf("replay of what cannot be read: %v", err)
	}
	// A version that can read it takes it up.
	l.opts.KeyOf = func(string, []byte) (string, bool, error) { return "r9", true, nil }
	ok(t, l.Replay(t.Context(), "g3"))
	if e := w.next(); e.Key != "r9" || string(e.Payload) != "junk" {
		t.Errorf("got %+v", e)
	}
}

func TestScheduleWithoutKeyOf(t *testing.T) {
	t.Parallel()
	if err := alone(t, Options{}).Schedule(t.Context(), dispatch("g", "{}")); err == nil {
		t.Error("no error")
	}
}

func TestNoRoomIsCapacity(t *testing.T) {
	t.Parallel()
	eng := newEngine(t, t.TempDir())
	l := newLog(t, eng.JetStream(), Options{Alone: true, KeyOf: keyOf})
	l.Close(t.Context())
	ok(t, eng.Close())
	if err := l.Schedule(t.Context(), dispatch("g", "{}")); !errors.Is(err, githubapp.ErrCapacityExceeded) {
		t.Errorf("got %v, and the dispatcher answers 500", err)
	}
	other := errors.New("a mistake")
	if capacity(nil) != nil || capacity(other) != other {
		t.Error("capacity marks what says nothing about it")
	}
	for _, code := range []jetstream.ErrorCode{codeNoResources, codeStorageExceeded, codeStreamStoreFailed, codeResourcesExhausted} {
		if !errors.Is(capacity(&jetstream.APIError{ErrorCode: code}), githubapp.ErrCapacityExceeded) {
			t.Errorf("code %d is not taken for a lack of room", code)
		}
	}
}

// small starts a server with the message limit that existing clusters have.
func small(t *testing.T) (connect func() jetstream.JetStream) {
	t.Helper()
	srv, err := server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true, MaxPayload: 1 << 20})
	ok(t, err)
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server did not start")
	}
	return func() jetstream.JetStream {
		conn, err := nats.Connect("", nats.InProcessServer(srv))
		ok(t, err)
		t.Cleanup(conn.Close)
		js, err := jetstream.New(conn)
		ok(t, err)
		return js
	}
}

func TestLargePayloads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		js   jetstream.JetStream
		size int
	}{
		"whole":     {newEngine(t, t.TempDir()).JetStream(), 25 << 20},
		"in pieces": {small(t)(), 5 << 19},
	} {
		t.Run(name, func(t *testing.T) {
			payload := bytes.Repeat([]byte("0123456789abcdef"), c.size/16)
			l := newLog(t, c.js, Options{Alone: true})
			for range 2 {
				_, err := l.Accept(t.Context(), "g1", "push", "r1", payload)
				ok(t, err)
			}
			w := run(t, l)
			check := func(e Event) {
				t.Helper()
				if !bytes.Equal(e.Payload, payload) {
					t.Errorf("%d bytes came of %d", len(e.Payload), len(payload))
				}
			}
			e := w.next()
			check(e)
			ok(t, l.Retry(t.Context(), e, 0, "again"))
			e = w.next()
			check(e)
			ok(t, l.SetAside(t.Context(), e, "enough"))
			if list, err := l.Aside(t.Context()); err != nil || len(list) != 1 || list[0].Size != len(payload) {
				t.Errorf("%+v, %v", list, err)
			}
			ok(t, l.Replay(t.Context(), "g1"))
			e = w.next()
			check(e)
			ok(t, l.Done(context.WithoutCancel(t.Context()), e))
			info, err := l.events.Info(t.Context())
			ok(t, err)
			if info.State.Msgs != 0 {
				t.Errorf("%d messages are left of an event that is done", info.State.Msgs)
			}
		})
	}
}
