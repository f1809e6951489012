package server_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestASecondServerIsNoticed starts another server with a store of its own on the
// same App. It gets no webhook, but it looks at all repositories, because its disk
// is empty, and writes the tracking issue. GitHub tells the first one of that.
func TestASecondServerIsNoticed(t *testing.T) {
	t.Parallel()
	w := atProd(t)
	startSecond(t, w)
	w.Until("the tracking issue says that two servers write it", func() bool {
		issue, _ := w.TrackingIssue()
		return strings.Contains(issue.Body, "Two servers with separate stores work here")
	})
	w.AskForProd() // the older one goes on
}

// startSecond starts a server that nobody sends webhooks to.
func startSecond(t *testing.T, w *servertest.World) {
	t.Helper()
	env := w.Env()
	env["STAGECOACH_DATA_DIR"] = t.TempDir()
	settings, err := config.Load("", func(k string) string { return env[k] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(t.Context(), server.Config{Settings: settings, Log: zerolog.Nop(), Listener: listener})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}
