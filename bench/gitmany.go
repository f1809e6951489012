package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// many promotes again and again, with a push from outside before each.
func many(ctx context.Context, b *bench, g *gitRepo) ([]row, error) {
	n := b.pick(1000, 100)
	b.say("  %d promotions with a push from outside between each", n)
	p, err := g.promoter(b)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.engine.Close() }()
	times := make([]time.Duration, n)
	for i := range n {
		if i%100 == 0 { // the host keeps its side in order; so do we here, outside what is timed
			if _, err := g.Git("", "repack", "-adbq"); err != nil {
				return nil, err
			}
		}
		base, err := g.outside(i)
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		if _, err := p.promote(ctx, base, g.path("prod", i%g.apps, "values.yaml"), "many", fmt.Sprintf("4.%d.0", i)); err != nil {
			return nil, err
		}
		times[i] = time.Since(begin)
		if _, err := g.Git("", "update-ref", "-d", "refs/heads/many"); err != nil {
			return nil, err
		}
	}
	disk, files, err := size(p.dir)
	if err != nil {
		return nil, err
	}
	tenth := n / 10
	begin, end := ms(median(times[:tenth])), ms(median(times[n-tenth:]))
	return []row{
		value(fmt.Sprintf("the first %d of %d promotions", tenth, n), begin, "ms"),
		value(fmt.Sprintf("the last %d / the first", tenth), end/begin, "").atMost(1.3),
		value(fmt.Sprintf("files in the clone after %d promotions", n), files, "").atMost(120),
		value(fmt.Sprintf("the clone after %d promotions", n), disk/(1<<20), "MiB").atMost(16),
	}, nil
}

// outside adds a commit to main, as somebody's push does.
func (g *gitRepo) outside(n int) (tip string, err error) {
	text := fmt.Sprintf("changed: %d\n", n)
	file := g.path("dev", n%g.apps, "patch.yaml")
	_, err = g.Git(fmt.Sprintf(`commit refs/heads/main
committer octocat <octocat@example.com> %d +0000
data 6
change
from refs/heads/main^0
M 100644 inline %s
data %d
%s
`, 1_750_000_000+n, file, len(text), text), "fast-import", "--quiet")
	if err != nil {
		return "", err
	}
	return g.Git("", "rev-parse", "main")
}

// stagesAtOnce is how many stages promote from one push.
const stagesAtOnce = 50

// together promotes many pull-request stages from one push, at once.
func together(ctx context.Context, b *bench, g *gitRepo) ([]row, error) {
	b.say("  %d stages at once", stagesAtOnce)
	p, err := g.promoter(b)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.engine.Close() }()
	for i := range stagesAtOnce { // they promoted before
		if _, err := p.build(ctx, g.base, g.path("prod", i%g.apps, "values.yaml"), "0.0.0"); err != nil {
			return nil, err
		}
	}
	base, err := g.outside(0)
	if err != nil {
		return nil, err
	}
	g.Reset()
	begin := time.Now()
	errs := make([]error, stagesAtOnce)
	var wg sync.WaitGroup
	for i := range stagesAtOnce {
		wg.Go(func() {
			_, errs[i] = p.promote(ctx, base, g.path("prod", i%g.apps, "values.yaml"), fmt.Sprintf("stage/%d", i), fmt.Sprintf("5.%d.0", i))
		})
	}
	wg.Wait()
	took := time.Since(begin)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return []row{
		value(fmt.Sprintf("%d stages from one push", stagesAtOnce), ms(took), "ms"),
		value("fetches for them", float64(g.Fetches()), "").atMost(1),
		value("pushes for them", float64(g.Pushes()), "").atMost(5),
	}, nil
}
