package server_test

import (
	"context"
	"net"
	"testing"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server"
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
