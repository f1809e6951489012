package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, opts Options) *Engine {
	t.Helper()
	e, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func TestEmbeddedKeepsWhatItConfirmed(t *testing.T) {
	dir := t.TempDir()
	e := open(t, Options{Dir: dir})
	if !e.Embedded() || e.Replicas() != 1 {
		t.Errorf("embedded %v with %d replicas", e.Embedded(), e.Replicas())
	}
	if err := e.Healthy(); err != nil {
		t.Error(err)
	}
	cfg := jetstream.StreamConfig{Name: "T", Subjects: []string{"t"}}
	if _, err := e.JetStream().CreateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	body := bytes.Repeat([]byte("x"), 25<<20)
	if _, err := e.JetStream().Publish(t.Context(), "t", body); err != nil {
		t.Fatalf("GitHub's largest delivery does not fit: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	e = open(t, Options{Dir: dir})
	s, err := e.JetStream().Stream(t.Context(), "T")
	if err != nil {
		t.Fatal(err)
	}
	msg, err := s.GetMsg(t.Context(), 1)
	if err != nil || !bytes.Equal(msg.Data, body) {
		t.Errorf("after a restart: %v", err)
	}
}

func TestCloseTwice(t *testing.T) {
	e := open(t, Options{Dir: t.TempDir()})
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := e.Healthy(); err == nil {
		t.Error("a closed engine calls itself healthy")
	}
}

func TestOneProcessPerDirectory(t *testing.T) {
	dir := t.TempDir()
	e := open(t, Options{Dir: dir})
	_, err := Open(t.Context(), Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "another Stagecoach process uses") {
		t.Fatalf("the second one: %v", err)
	}
	if err := e.Healthy(); err != nil {
		t.Errorf("the second one disturbed the first: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, Options{Dir: dir}) // free again
}

func TestRefusedOptions(t *testing.T) {
	for name, opts := range map[string]Options{
		"nowhere to keep files": {},
		"too many replicas":     {Dir: t.TempDir(), Replicas: 6},
		"nobody listens":        {URL: "nats://127.0.0.1:1", Timeout: time.Second},
	} {
		if e, err := Open(t.Context(), opts); err == nil {
			_ = e.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

// external starts a server with a listener, as an operator would run it.
func external(t *testing.T, jetStream bool) string {
	t.Helper()
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: jetStream, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server did not start")
	}
	return srv.ClientURL()
}

func TestExternal(t *testing.T) {
	url := external(t, true)
	one, two := open(t, Options{URL: url}), open(t, Options{URL: url, Replicas: 3})
	if one.Embedded() || one.Replicas() != 1 || two.Replicas() != 3 {
		t.Errorf("embedded %v, replicas %d and %d", one.Embedded(), one.Replicas(), two.Replicas())
	}
	if err := errors.Join(one.Healthy(), two.Healthy()); err != nil {
		t.Error(err)
	}
}

func TestExternalWithoutJetStream(t *testing.T) {
	_, err := Open(t.Context(), Options{URL: external(t, false)})
	if err == nil || !strings.Contains(err.Error(), "has no JetStream") {
		t.Error(err)
	}
}

func TestServerLog(t *testing.T) {
	var out bytes.Buffer
	log := zerolog.New(&out)
	e, err := Open(log.WithContext(context.Background()), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	e.server.Errorf("disk %s", "full")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"level":"error"`) || !strings.Contains(out.String(), "disk full") {
		t.Errorf("the server's errors do not reach the log: %s", out.String())
	}
}
