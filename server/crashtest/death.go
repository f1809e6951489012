package main

import (
	"context"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/palantir/go-githubapp/githubapp"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// death comes at the nth write.
type death struct {
	nth   int64
	after bool
	seen  atomic.Int64
}

// around counts a write, and dies before or after it when it is the one.
func (d *death) around(write func() error) error {
	mine := d.seen.Add(1) == d.nth
	if mine && !d.after {
		die()
	}
	err := write()
	if mine {
		die()
	}
	return err
}

// die ends the process at once, as a power cut does.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

func (d *death) wrapStore(s worker.Store) worker.Store { return store{s, d} }
func (d *death) wrapLog(l worker.Log) worker.Log       { return log{l, d} }
func (d *death) wrapScheduler(s githubapp.Scheduler) githubapp.Scheduler {
	return scheduler{s, d}
}

type store struct {
	worker.Store
	death *death
}

func (s store) Save(ctx context.Context, state *promotion.State, revision uint64) (got uint64, err error) {
	err = s.death.around(func() error {
		got, err = s.Store.Save(ctx, state, revision)
		return err
	})
	return got, err
}

func (s store) Record(ctx context.Context, repo int64, rec promotion.StepRecord) error {
	return s.death.around(func() error { return s.Store.Record(ctx, repo, rec) })
}

func (s store) Forget(ctx context.Context, repo int64, name string) error {
	return s.death.around(func() error { return s.Store.Forget(ctx, repo, name) })
}

func (s store) Note(ctx context.Context, repo promotion.Repo, hasPipeline bool) error {
	return s.death.around(func() error { return s.Store.Note(ctx, repo, hasPipeline) })
}

type log struct {
	worker.Log
	death *death
}

func (l log) Accept(ctx context.Context, guid, eventType, key string, payload []byte) error {
	return l.death.around(func() error { return l.Log.Accept(ctx, guid, eventType, key, payload) })
}

func (l log) Done(ctx context.Context, d worker.Delivery) error {
	return l.death.around(func() error { return l.Log.Done(ctx, d) })
}

func (l log) Retry(ctx context.Context, d worker.Delivery, after time.Duration, reason string) error {
	return l.death.around(func() error { return l.Log.Retry(ctx, d, after, reason) })
}

func (l log) Wake(ctx context.Context, key string, at time.Time) error {
	return l.death.around(func() error { return l.Log.Wake(ctx, key, at) })
}

type scheduler struct {
	githubapp.Scheduler
	death *death
}

func (s scheduler) Schedule(ctx context.Context, d githubapp.Dispatch) error {
	return s.death.around(func() error { return s.Scheduler.Schedule(ctx, d) })
}
