package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// runNATS is a NATS server of its own, as operators of several replicas have one,
// until ctx ends or it is killed.
func runNATS(ctx context.Context, addr, dir string) error {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("the address %q of the NATS server: %w", addr, err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("the port of %q: %w", addr, err)
	}
	srv, err := server.NewServer(&server.Options{
		ServerName: "nats", Host: host, Port: port, JetStream: true, StoreDir: dir, SyncAlways: true, NoSigs: true, NoLog: true,
	})
	if err != nil {
		return fmt.Errorf("set up the NATS server: %w", err)
	}
	srv.Start()
	if !srv.ReadyForConnections(20 * time.Second) {
		return errors.New("the NATS server did not start within 20 s")
	}
	<-ctx.Done()
	srv.Shutdown()
	srv.WaitForShutdown()
	return nil
}
