package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// host lets what was made for tests run in a suite: the worlds of servertest. A test
// that fails is an error of the suite. Of testing.TB there is what worlds use; the rest
// is nil, and panics.
type host struct {
	testing.TB
	ctx   context.Context
	bench *bench

	mu       sync.Mutex
	cleanups []func()
	failed   []error
}

var initTesting = sync.OnceFunc(func() {
	testing.Init() // testing.Verbose, which worlds ask, panics without it
	_ = flag.CommandLine.Parse(nil)
})

// play runs f, and what it asked to be cleaned up, to the end.
func (b *bench) play(ctx context.Context, f func(tb testing.TB)) error {
	initTesting()
	h := &host{ctx: ctx, bench: b}
	h.apart(func() { f(h) })
	for {
		h.mu.Lock()
		n := len(h.cleanups)
		if n == 0 {
			h.mu.Unlock()
			return errors.Join(h.failed...)
		}
		last := h.cleanups[n-1]
		h.cleanups = h.cleanups[:n-1]
		h.mu.Unlock()
		h.apart(last)
	}
}

// apart runs f in a goroutine of its own, which Fatal ends.
func (h *host) apart(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func (h *host) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.failed, err) {
		h.failed = append(h.failed, err)
	}
}

func (h *host) Helper()                           {}
func (h *host) Log(args ...any)                   { h.bench.say("%s", fmt.Sprint(args...)) }
func (h *host) Logf(format string, args ...any)   { h.bench.say(format, args...) }
func (h *host) Error(args ...any)                 { h.note(errors.New(fmt.Sprint(args...))) }
func (h *host) Errorf(format string, args ...any) { h.note(fmt.Errorf(format, args...)) }
func (h *host) Fatal(args ...any)                 { h.Error(args...); runtime.Goexit() }
func (h *host) Fatalf(format string, args ...any) { h.Errorf(format, args...); runtime.Goexit() }
func (h *host) Context() context.Context          { return h.ctx }
func (h *host) Name() string                      { return "bench" }

func (h *host) Failed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.failed) > 0
}

func (h *host) Cleanup(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cleanups = append(h.cleanups, f)
}

// TempDir is on a disk: a world's server syncs what it accepts.
func (h *host) TempDir() string {
	dir, err := os.MkdirTemp("", "stagecoach-bench-")
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			h.Error(err)
		}
	})
	return dir
}
