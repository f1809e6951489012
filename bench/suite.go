package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// suite measures one part of the product.
type suite func(ctx context.Context, b *bench) ([]row, error)

var suites = map[string]suite{}

// register makes a suite known. It returns something so that a variable's
// declaration can call it.
func register(name string, s suite) bool {
	suites[name] = s
	return true
}

func names() []string { return slices.Sorted(maps.Keys(suites)) }

// bench is what a suite works with.
type bench struct {
	quick bool
	log   io.Writer
	dirs  []string
}

// dir makes a folder that is removed when the run ends. It is below TMPDIR, or,
// where that is not set, in memory if there is room, so that the disk's moods
// stay out of the measurement.
func (b *bench) dir() (string, error) {
	dir, err := os.MkdirTemp(ramDisk(2<<30), "stagecoach-bench-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the run: %w", err)
	}
	b.dirs = append(b.dirs, dir)
	return dir, nil
}

// diskDir is dir on a disk, for what syncs.
func (b *bench) diskDir() (string, error) {
	dir, err := os.MkdirTemp("", "stagecoach-bench-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the run: %w", err)
	}
	b.dirs = append(b.dirs, dir)
	return dir, nil
}

// say tells people what goes on.
func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }

// pick is full, or quick in a quick run.
func (b *bench) pick(full, quick int) int {
	if b.quick {
		return quick
	}
	return full
}

func (b *bench) clean() error {
	var errs []error
	for _, dir := range b.dirs {
		errs = append(errs, os.RemoveAll(dir))
	}
	return errors.Join(errs...)
}

// measure runs the suite only, or all when it is empty.
func measure(ctx context.Context, only string, b *bench) (rows []row, err error) {
	defer func() { err = errors.Join(err, b.clean()) }()
	run := names()
	if only != "" {
		run = []string{only}
	}
	for _, name := range run {
		s := suites[name]
		if s == nil {
			return nil, fmt.Errorf("there is no suite %q; there are %s", name, strings.Join(names(), ", "))
		}
		b.say("suite %s", name)
		some, err := s(ctx, b)
		if err != nil {
			return nil, fmt.Errorf("suite %s: %w", name, err)
		}
		for i := range some {
			some[i].Suite = name
		}
		rows = append(rows, some...)
	}
	return rows, nil
}
