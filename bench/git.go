package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

var _ = register("git", gitSuite)

// gitSuite measures the git engine over HTTP on loopback, against real git.
func gitSuite(ctx context.Context, b *bench) ([]row, error) {
	parts := []struct {
		files []int
		run   func(context.Context, *bench, *gitRepo) ([]row, error)
	}{
		{[]int{1000, 20_000, 100_000}, warm},
		{[]int{20_000}, clones},
		{[]int{20_000, 100_000}, first},
		{[]int{1000}, many},
		{[]int{1000}, together},
		{[]int{1000}, pullRefs},
	}
	var rows []row
	for _, files := range []int{1000, 20_000, 100_000} {
		if b.quick && files > 20_000 {
			continue
		}
		g, err := newGitRepo(b, files)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			for _, at := range p.files {
				if at != files {
					continue
				}
				more, err := p.run(ctx, b, g)
				if err != nil {
					g.Close()
					return nil, err
				}
				rows = append(rows, more...)
			}
		}
		g.Close()
	}
	return rows, nil
}

// warm compares a promotion in a clone that is there with git's plumbing.
func warm(ctx context.Context, b *bench, g *gitRepo) ([]row, error) {
	b.say("  warm promotions against git's plumbing, %d files", g.files)
	ours, err := g.promoter(b)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ours.engine.Close() }()
	theirs, err := g.plumber(b)
	if err != nil {
		return nil, err
	}
	file := g.path("prod", 7, "values.yaml")
	var own []time.Duration
	// Each way sets a value of its own: what the server holds already by another
	// way's push, it need not check, and one of the ways would come off too well.
	way := func(name string, promote func(branch, tag string) error) func(int) (time.Duration, error) {
		return func(round int) (time.Duration, error) {
			branch := fmt.Sprintf("%s/%d", name, round)
			return g.timed(branch, file, func() error { return promote(branch, fmt.Sprintf("2.%d.0-%s", round, name)) })
		}
	}
	if _, err := ours.build(ctx, g.base, file, "0.0.0"); err != nil { // it gets warm
		return nil, err
	}
	times, err := contest(ctx, b.pick(31, 9),
		way("ours", func(branch, tag string) error {
			d, err := ours.promote(ctx, g.base, file, branch, tag)
			own = append(own, d)
			return err
		}),
		way("index", func(branch, tag string) error { return theirs.byIndex(g.base, file, branch, tag) }),
		way("trees", func(branch, tag string) error { return theirs.byTrees(g.base, file, branch, tag) }),
		way("asks", func(branch, tag string) error {
			ours.look = true
			_, err := ours.promote(ctx, g.base, file, branch, tag)
			ours.look = false
			return err
		}),
	)
	if err != nil {
		return nil, err
	}
	limit := 0.6
	if g.files > 20_000 {
		limit = 0.8
	}
	ratio := value(fmt.Sprintf("warm promotion / best plumbing, %d files", g.files), times[0]/min(times[1], times[2]), "")
	if g.files >= 20_000 {
		ratio = ratio.atMost(limit)
	}
	return []row{
		value(fmt.Sprintf("warm promotion, %d files", g.files), times[0], "ms"),
		value(fmt.Sprintf("the same, with the refs asked for before the push, %d files", g.files), times[3], "ms"),
		value(fmt.Sprintf("the same by git read-tree, write-tree, push, %d files", g.files), times[1], "ms"),
		value(fmt.Sprintf("the same by git ls-tree, mktree, push, %d files", g.files), times[2], "ms"),
		ratio,
		value(fmt.Sprintf("own part, without the push, %d files", g.files), ms(median(own)), "ms").atMost(1),
	}, nil
}

// clones compares a warm promotion with clone, edit, commit, push.
func clones(ctx context.Context, b *bench, g *gitRepo) ([]row, error) {
	b.say("  against clone, edit, commit, push, %d files", g.files)
	ours, err := g.promoter(b)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ours.engine.Close() }()
	file := g.path("prod", 8, "values.yaml")
	if _, err := ours.build(ctx, g.base, file, "0.0.0"); err != nil {
		return nil, err
	}
	way := func(name string, promote func(branch, tag string) error) func(int) (time.Duration, error) {
		return func(round int) (time.Duration, error) {
			branch := fmt.Sprintf("%s/%d", name, round)
			return g.timed(branch, file, func() error { return promote(branch, branch) })
		}
	}
	times, err := contest(ctx, b.pick(7, 1),
		way("beside", func(branch, tag string) error {
			_, err := ours.promote(ctx, g.base, file, branch, tag)
			return err
		}),
		way("full", func(branch, tag string) error { return g.byClone(b, file, branch, tag) }),
		way("shallow", func(branch, tag string) error { return g.byClone(b, file, branch, tag, "--depth", "1") }),
	)
	if err != nil {
		return nil, err
	}
	return []row{
		value(fmt.Sprintf("clone, edit, commit, push by git, %d files", g.files), times[1], "ms"),
		value(fmt.Sprintf("the same with --depth 1, %d files", g.files), times[2], "ms"),
		value(fmt.Sprintf("how much faster a warm promotion is, %d files", g.files), min(times[1], times[2])/times[0], "times").atLeast(60),
	}, nil
}

// first compares a first promotion, in an engine with an empty disk, with
// git clone --bare.
func first(ctx context.Context, b *bench, g *gitRepo) ([]row, error) {
	b.say("  the first promotion against git clone --bare, %d files", g.files)
	file := g.path("prod", 9, "values.yaml")
	var received, allocated float64
	times, err := contest(ctx, b.pick(7, 3),
		func(round int) (time.Duration, error) {
			p, err := g.promoter(b)
			if err != nil {
				return 0, err
			}
			defer func() { _ = p.engine.Close() }()
			g.Reset()
			before := allocations()
			begin := time.Now()
			_, err = p.promote(ctx, g.base, file, fmt.Sprintf("first/%d", round), fmt.Sprintf("3.%d.0", round))
			took := time.Since(begin)
			received, allocated = max(received, float64(g.Bytes())), max(allocated, allocations()-before)
			return took, err
		},
		func(int) (time.Duration, error) {
			dir, err := b.dir()
			if err != nil {
				return 0, err
			}
			defer func() { _ = os.RemoveAll(dir) }()
			return 0, remoteGit("", "clone", "-q", "--bare", g.URL, filepath.Join(dir, "clone.git"))
		},
	)
	if err != nil {
		return nil, err
	}
	ratio := value(fmt.Sprintf("first promotion / git clone --bare, %d files", g.files), times[0]/times[1], "")
	if g.files >= 100_000 {
		ratio = ratio.atMost(0.125)
	}
	return []row{
		value(fmt.Sprintf("first promotion, %d files", g.files), times[0], "ms"),
		value(fmt.Sprintf("git clone --bare, %d files", g.files), times[1], "ms"),
		ratio,
		value(fmt.Sprintf("received for the first promotion, %d files", g.files), received/1024, "KiB").atMost(64),
		value(fmt.Sprintf("allocated in all for it, %d files", g.files), allocated/(1<<20), "MiB").atMost(64),
	}, nil
}

// allocations is how much was allocated since the start, freed or not: more than
// what is ever in use at once.
func allocations() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.TotalAlloc)
}
