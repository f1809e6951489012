package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/internal/dirlock"
)

// Engine is one JetStream and the connection to it.
type Engine struct {
	opts   Options
	conn   *nats.Conn
	js     jetstream.JetStream
	server *server.Server // nil: an existing cluster
	lock   *dirlock.Lock  // nil: an existing cluster
	closed chan struct{}  // closed when conn is

	closing sync.Once
	failed  error // of the first Close
}

// Open starts the embedded server or connects to the existing one. It fails in
// words when another process has the data directory open, and when the server is
// too old or has no JetStream. ctx bounds the opening and carries the logger.
func Open(ctx context.Context, opts Options) (*Engine, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	e := &Engine{opts: opts, closed: make(chan struct{})}
	if err := e.open(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) open(ctx context.Context) error {
	log := zerolog.Ctx(ctx)
	var err error
	if e.Embedded() {
		if err = e.startServer(log); err == nil {
			e.conn, err = e.connect(log, "", nats.InProcessServer(e.server))
		}
	} else {
		e.conn, err = e.connect(log, e.opts.URL)
	}
	if err != nil {
		return err
	}
	if e.js, err = jetstream.New(e.conn, jetstream.WithDefaultTimeout(10*time.Second)); err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	return e.check(ctx)
}

// Embedded reports whether the server runs in this process, which then is the
// only one that works on it.
func (e *Engine) Embedded() bool { return e.opts.URL == "" }

// JetStream is the handle that the event log and the store work through.
func (e *Engine) JetStream() jetstream.JetStream { return e.js }

// Replicas is how many servers are to keep each message, at least 1.
func (e *Engine) Replicas() int {
	switch {
	case e.Embedded():
		return 1
	case e.opts.Replicas > 0:
		return e.opts.Replicas
	case e.conn.ConnectedClusterName() != "":
		return 3
	}
	return 1
}

// Healthy says in words why nothing can be stored now; nil: it can.
func (e *Engine) Healthy() error {
	if e.server != nil && (!e.server.Running() || !e.server.JetStreamEnabled()) {
		return errors.New("the embedded event store has stopped: look for its errors in the log (a full disk is the usual cause), then restart")
	}
	switch status := e.conn.Status(); {
	case status == nats.CONNECTED:
		return nil
	case e.Embedded() || e.conn.IsClosed():
		return fmt.Errorf("the connection to the event store is %s", status)
	default:
		return fmt.Errorf("the connection to the NATS server is %s: check that %s is reachable", status, redact(e.opts.URL))
	}
}

// Close hands in what is under way, stops the embedded server and gives the data
// directory free. Further calls do nothing and return what the first one did.
func (e *Engine) Close() error {
	e.closing.Do(func() { e.failed = e.close() })
	return e.failed
}

func (e *Engine) close() error {
	err := e.drain()
	if e.server != nil {
		e.server.Shutdown()
		e.server.WaitForShutdown()
	}
	return errors.Join(err, e.release())
}

// drain sends what is buffered and waits until the connection is closed.
func (e *Engine) drain() error {
	if e.conn == nil || e.conn.IsClosed() {
		return nil
	}
	if err := e.conn.Drain(); err != nil {
		e.conn.Close() // it was not connected: there is nothing to hand in
	}
	select {
	case <-e.closed:
		return nil
	case <-time.After(e.opts.Timeout):
		e.conn.Close()
		return fmt.Errorf("what was under way was not handed in to the event store within %s", e.opts.Timeout)
	}
}
