package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/stagecoach-app/stagecoach/server/engine"
)

// How much space must be left. A delivery is at most 25 MB, and JetStream stops
// storing when the disk is full.
const (
	scarce = 1 << 30
	tiny   = 200 << 20
)

// lookAtServer asks whether the server runs on this machine, and looks at its
// engine or, when it does not run, at the lock of its data directory.
func (e *examination) lookAtServer(ctx context.Context) {
	host, port, err := net.SplitHostPort(e.Settings.Addr)
	if err == nil && (host == "" || host == "0.0.0.0" || host == "::") {
		host = "127.0.0.1"
	}
	address := "http://" + net.JoinHostPort(host, port) + "/readyz"
	resp, err := e.get(ctx, address)
	switch {
	case err == nil && resp.StatusCode == http.StatusOK:
		e.add(Check{Name: "server", About: e.Settings.Addr, Status: OK, Message: "it runs and may store deliveries"})
	case err == nil:
		e.add(Check{"server", e.Settings.Addr, Problem, address + " answers " + resp.Status, "Look at the server's log: its engine does not store."})
	default:
		e.add(Check{Name: "server", About: e.Settings.Addr, Status: Warning, Message: "it does not run on this machine", Remedy: "Start it: stagecoach serve"})
		e.lookAtEngine(ctx)
	}
}

// lookAtEngine looks at what a server would start on.
func (e *examination) lookAtEngine(ctx context.Context) {
	if e.Settings.NATSURL != "" {
		e.add(externalEngine(ctx, e.Settings.NATSURL))
		return
	}
	used, err := engine.InUse(e.Settings.DataDir)
	switch {
	case err != nil:
		e.add(Check{"engine", e.Settings.DataDir, Problem, "its lock cannot be looked at: " + err.Error(), "Give the user that runs the server the directory: chown -R USER " + e.Settings.DataDir})
	case used:
		e.add(Check{"engine", e.Settings.DataDir, Problem, "another process has it open, and answers nowhere", "Stop that process, or give this server a STAGECOACH_DATA_DIR of its own. Is STAGECOACH_ADDR the one that it listens on?"})
	default:
		e.add(Check{Name: "engine", About: e.Settings.DataDir, Status: OK, Message: "no other process has it open"})
	}
}

func externalEngine(ctx context.Context, address string) Check {
	opened, err := engine.Open(ctx, engine.Options{URL: address, Timeout: timeout})
	if err == nil {
		err = opened.Close()
	}
	if err != nil {
		return Check{"engine", "STAGECOACH_NATS_URL", Problem, err.Error(), "The server needs NATS 2.12 or newer with JetStream, at that address."}
	}
	return Check{Name: "engine", About: "STAGECOACH_NATS_URL", Status: OK, Message: "it answers, with JetStream"}
}

// lookAtDisk tries to write into the data directory, and asks what is left.
func (e *examination) lookAtDisk(context.Context) {
	dir, exists := nearest(e.Settings.DataDir)
	if err := writable(dir); err != nil {
		e.add(Check{"data", e.Settings.DataDir, Problem, "it cannot be written to: " + err.Error(), "Give it to the user that runs the server, or set STAGECOACH_DATA_DIR."})
	} else if exists {
		e.add(Check{Name: "data", About: e.Settings.DataDir, Status: OK, Message: "it can be written to"})
	} else {
		e.add(Check{Name: "data", About: e.Settings.DataDir, Status: OK, Message: "it does not exist yet, and can be made"})
	}
	free, known := e.FreeSpace(dir)
	said := fmt.Sprintf("%.1f GiB are free", float64(free)/(1<<30))
	switch {
	case !known:
		e.add(Check{Name: "disk", About: dir, Status: Skipped, Message: "this system does not tell how much is free"})
	case free < tiny:
		e.add(Check{"disk", dir, Problem, said, "Make room: without it deliveries are refused, and asked for again later."})
	case free < scarce:
		e.add(Check{"disk", dir, Warning, said, "Make room soon."})
	default:
		e.add(Check{Name: "disk", About: dir, Status: OK, Message: said})
	}
}

// nearest is dir, or the nearest folder above it that exists.
func nearest(dir string) (found string, exists bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ".", false
	}
	for exists = true; ; exists = false {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir, exists
		}
		dir = filepath.Dir(dir)
	}
}

// writable makes a file and removes it.
func writable(dir string) error {
	file, err := os.CreateTemp(dir, ".stagecoach-doctor-")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
