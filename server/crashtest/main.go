package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server"
)

func main() {
	d := &death{}
	flag.Int64Var(&d.nth, "nth", 0, "die at the n-th write; 0: live")
	flag.BoolVar(&d.after, "after", false, "die after the write, not before it")
	nats := flag.String("nats", "", "be a NATS server at that address instead")
	dir := flag.String("dir", "", "where that keeps its files")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	work := func() error { return run(ctx, d) }
	if *nats != "" {
		work = func() error { return runNATS(ctx, *nats, *dir) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("writes: %d\n", d.seen.Load())
}

func run(ctx context.Context, d *death) error {
	settings, err := config.Load("", os.Getenv, os.ReadFile)
	if err != nil {
		return err
	}
	log := zerolog.New(os.Stderr).Level(zerolog.InfoLevel).With().Timestamp().Logger()
	s, err := server.New(ctx, server.Config{
		Settings: settings, Version: "crashtest", Log: log,
		WrapStore: d.wrapStore, WrapLog: d.wrapLog, WrapScheduler: d.wrapScheduler,
	})
	if err != nil {
		return err
	}
	s.Start()
	select {
	case <-ctx.Done():
	case <-s.Ended():
	}
	stopping, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := s.Stop(stopping); err != nil {
		return err
	}
	return s.Err()
}
