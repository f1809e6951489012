package engine

import (
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/rs/zerolog"
)

// startServer takes the data directory and starts the embedded server on it.
func (e *Engine) startServer(log *zerolog.Logger) error {
	dir := e.opts.storeDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of the event store: %w", err)
	}
	var err error
	if e.lock, err = lockDir(dir); err != nil {
		return err
	}
	srv, err := server.NewServer(serverOptions(dir))
	if err != nil {
		return fmt.Errorf("set up the embedded event store in %s: %w", dir, err)
	}
	e.server = srv
	srv.SetLoggerV2(serverLog{log}, false, false, false)
	srv.Start()
	if !srv.ReadyForConnections(e.opts.Timeout) {
		return fmt.Errorf("the embedded event store in %s was not ready within %s: see its errors in the log", dir, e.opts.Timeout)
	}
	if !srv.JetStreamEnabled() {
		return errors.New("the embedded event store did not start JetStream: see its errors in the log (is " + dir + " writable, and the disk not full?)")
	}
	return nil
}

func serverOptions(dir string) *server.Options {
	return &server.Options{
		ServerName: "stagecoach",
		DontListen: true,
		NoSigs:     true,
		JetStream:  true,
		StoreDir:   dir,
		// Without it an append would be synced every two minutes, and a power cut
		// would take accepted deliveries along.
		SyncAlways: true,
		MaxPayload: MaxPayload,
		// How much may be on its way to a client: several of the largest messages,
		// or the server would drop us as a slow consumer.
		MaxPending:             8 * MaxPayload,
		DisableJetStreamBanner: true,
	}
}
