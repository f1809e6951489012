package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Limit is how long the whole story of Options.Exit may take.
const Limit = 28 * time.Second

// Options say what is played. Only Out is needed.
type Options struct {
	Repo string // a local git repository to play with; empty: the sample
	Exit bool   // play the people too, and end when the newest change is everywhere
	Addr string // of the simulated GitHub; empty: a free port of this machine
	Keep string // directory for all data, which is kept, and gone on with when it holds a demo; empty: a temporary one
	// Out gets the progress, a line each. Color says that it may be coloured.
	Out   io.Writer
	Color bool
	// Version of the binary, for the user agent. Limit is 0 for the usual one.
	Version string
	Limit   time.Duration
}

// Run plays the demo. With Exit it ends when the story does, and the error says
// why not every stage holds the newest change; else it ends with ctx, which is
// no error. The report is filled in in both cases, as far as it got.
func Run(ctx context.Context, opts Options) (Report, error) {
	start, err := scene(ctx, opts)
	if err != nil {
		return failed(err), err
	}
	w, err := newWorld(ctx, opts, start)
	if err != nil {
		err = fmt.Errorf("start the demo: %w", err)
		return failed(err), err
	}
	r := newReader(w)
	played := play(ctx, opts, r)
	err = errors.Join(played, w.stop(context.WithoutCancel(ctx)))
	return r.report(err), err
}

// play goes on until the story ends or ctx does.
func play(ctx context.Context, opts Options, r *reader) error {
	t := newTeller(r, opts)
	t.hello()
	if err := goOn(r, t); err != nil {
		return err
	}
	if err := r.w.start(); err != nil {
		return err
	}
	if !opts.Exit {
		return watch(ctx, r, t)
	}
	err := tellStory(ctx, opts, newStory(r, t))
	if err == nil {
		err = verify(r)
	}
	if err != nil && ctx.Err() == nil {
		return &Unfinished{Cause: err, Where: standing(r), Warnings: r.w.warnings.last()}
	}
	return err
}

// goOn takes what a kept demo shows for known.
func goOn(r *reader, t *teller) error {
	if r.w.kept.Repo == 0 {
		return nil
	}
	v, err := r.read()
	if err != nil {
		return err
	}
	r.skip(v)
	t.skip(v)
	return nil
}

// tellStory plays the people, within the limit.
func tellStory(ctx context.Context, opts Options, s *story) error {
	limit := cmp.Or(opts.Limit, Limit)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := s.run(limited)
	switch {
	case ctx.Err() != nil:
		return errors.New("stopped before the story ended")
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("after %s the story still waited for %s", limit, cmp.Or(s.waitsFor, "the server"))
	}
	return err
}

// watch tells what people and server do until ctx ends.
func watch(ctx context.Context, r *reader, t *teller) error {
	guided := false
	late := time.NewTimer(10 * time.Second) // what to try is shown also when the first promotion takes long
	defer late.Stop()
	for {
		v, err := r.read()
		if err != nil {
			return err
		}
		t.tell(v)
		if v.unsettled("") == "" {
			if err := r.w.remember(); err != nil {
				return err
			}
			if !guided {
				guided = true
				t.guide(v)
			}
		}
		select {
		case <-ctx.Done():
			t.bye()
			return nil
		case <-r.w.server.Ended():
			return fmt.Errorf("the server ended by itself: %w", r.w.server.Err())
		case <-late.C:
			if !guided {
				guided = true
				t.guide(v)
			}
		case <-r.w.changed:
		}
	}
}
