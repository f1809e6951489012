package server_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// However a server ends, its data directory and its address are free again.
func TestStopGivesEverythingFree(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	env := w.Env()
	settings, err := config.Load("", func(k string) string { return env[k] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		starts int
		stops  int
	}{{"never started", 0, 1}, {"started", 1, 1}, {"all of it twice", 2, 2}} {
		t.Run(c.name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s, err := server.New(t.Context(), server.Config{Settings: settings, Log: zerolog.Nop(), Listener: ln})
			if err != nil {
				t.Fatal(err) // also when the one before did not give the directory free
			}
			for range c.starts {
				s.Start()
			}
			for range c.stops {
				if err := s.Stop(context.Background()); err != nil {
					t.Error(err)
				}
			}
			again, err := net.Listen("tcp", ln.Addr().String())
			if err != nil {
				t.Errorf("the address is still taken: %v", err)
			} else {
				_ = again.Close()
			}
		})
	}
}

// pushing is a world whose first push to the repository takes a while, at a moment when that is under way.
func pushing(t *testing.T, takes time.Duration) *servertest.World {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	if takes > time.Minute {
		w.LetEnd = 200 * time.Millisecond
	}
	w.StartServer()
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	w.Sim.Fault(ghsim.Fault{
		Route: "POST /{owner}/{repo}/git-receive-pack", Slow: takes,
		Match: func(*http.Request) bool { begin(); return true },
	})
	w.InstallApp()
	<-begun
	return w
}

// What is under way when the server is told to stop is finished, as long as there is time: the next start need not look
// what came of it.
func TestStopLetsAPushEnd(t *testing.T) {
	t.Parallel()
	w := pushing(t, 500*time.Millisecond)
	w.StopServer()
	if n := w.Sim.Counts(0).Pushes; n != 1 {
		t.Errorf("%d pushes came through, want the one that was under way", n)
	}
	w.StartServer()
	w.Story()
	for _, fault := range w.Faults() {
		t.Error(fault)
	}
}

// What does not end is cut off in time, and the next start finds out what came of it.
func TestStopCutsOffWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	w := pushing(t, time.Hour)
	slow, err := net.Dial("tcp", w.Addr) // somebody whose request never comes to an end
	must(t, err)
	defer func() { _ = slow.Close() }()
	_, err = slow.Write([]byte("POST /api/github/hook HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"))
	must(t, err)
	w.StopServer() // fails the test when something goes on for ever
	w.StartServer()
	w.Story()
	for _, fault := range w.Faults() {
		t.Error(fault)
	}
}
