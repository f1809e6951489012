package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// stopWithin is how long the server may take to end what is under way.
const stopWithin = 10 * time.Second

// The people of every demo: one who may write, one who may read, and a stranger
// to the repository.
const (
	writer   = "octocat"
	onlooker = "monalisa"
	stranger = "hubot"
)

// world is the simulated GitHub with its one repository, and the server beside it.
type world struct {
	dir      string
	keep     bool
	kept     memory
	sim      *ghsim.Sim
	repo     ghsim.Repo
	app      ghsim.RegisteredApp
	settings *config.Settings
	tally    *tally
	warnings *warnings
	changed  chan struct{} // has something in it when GitHub may show something new
	web      *http.Server
	listener net.Listener // of the simulator's pages
	hook     net.Listener // of the server
	server   *server.Server
	ending   []func(context.Context) error // what stop does, last first
}

// newWorld builds everything. Nothing happens in it before start.
func newWorld(ctx context.Context, opts Options, sc *set) (*world, error) {
	w := &world{changed: make(chan struct{}, 1), warnings: &warnings{}}
	for _, build := range []func(context.Context, Options, *set) error{
		w.openDir, w.listen, w.openSim, w.people, w.configure, w.openServer,
	} {
		if err := build(ctx, opts, sc); err != nil {
			return nil, errors.Join(err, w.stop(context.WithoutCancel(ctx)))
		}
	}
	return w, nil
}

func (w *world) atEnd(f func(context.Context) error) { w.ending = append(w.ending, f) }

// start lets everything run, and installs the app where it is not yet.
func (w *world) start() error {
	go func() { _ = w.web.Serve(w.listener) }() // ends with stop; the listener is open
	w.atEnd(w.stopPages)
	w.atEnd(func(context.Context) error { return w.remember() })
	w.server.Start()
	w.atEnd(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, stopWithin)
		defer cancel()
		if err := w.server.Stop(ctx); err != nil {
			return fmt.Errorf("stop the server: %w", err)
		}
		return nil
	})
	if w.kept.Repo != 0 {
		return nil
	}
	if _, err := w.sim.Install(w.app.ID, w.repo.Owner, w.repo); err != nil {
		return fmt.Errorf("install the app: %w", err)
	}
	return nil
}

// stopPages lets requests under way end, but not for long: a browser may hold one.
func (w *world) stopPages(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if w.web.Shutdown(ctx) == nil {
		return nil
	}
	return w.web.Close()
}

// stop ends what runs and removes what is not kept.
func (w *world) stop(ctx context.Context) error {
	var failed error
	for len(w.ending) > 0 {
		last := w.ending[len(w.ending)-1]
		w.ending = w.ending[:len(w.ending)-1]
		failed = errors.Join(failed, last(ctx))
	}
	return failed
}
