package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// pullRefs measures what many refs of pull requests cost. Hosts hide them from
// pushes, GitHub among them, and list them to who fetches.
func pullRefs(ctx context.Context, b *bench, g *gitRepo) ([]row, error) {
	const pulls = 10_000
	b.say("  %d pull requests", pulls)
	var in strings.Builder
	for n := range pulls {
		fmt.Fprintf(&in, "create refs/pull/%d/head %s\n", n+1, g.base)
	}
	if _, err := g.Git(in.String(), "update-ref", "--stdin"); err != nil {
		return nil, err
	}
	if _, err := g.Git("", "pack-refs", "--all"); err != nil {
		return nil, err
	}
	if err := g.Configure("receive.hideRefs=refs/pull"); err != nil {
		return nil, err
	}
	p, err := g.promoter(b)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.engine.Close() }()
	file := g.path("prod", 3, "values.yaml")
	if _, err := p.promote(ctx, g.base, file, "pulls/warm", "0.0.0"); err != nil {
		return nil, err
	}
	g.Reset()
	begin := time.Now()
	if _, err := p.promote(ctx, g.base, file, "pulls/1", "6.0.0"); err != nil {
		return nil, err
	}
	took, asked, bytes := time.Since(begin), g.Count("GET info/refs"), g.Bytes()
	requests := asked + g.Fetches() + g.Pushes()
	g.Reset()
	begin = time.Now()
	if _, err := p.repo.Refs(ctx); err != nil {
		return nil, err
	}
	return []row{
		value(fmt.Sprintf("warm promotion with %d pull requests", pulls), ms(took), "ms"),
		value("requests in it", float64(requests), "").atMost(2),
		value("lists of refs asked for in it", float64(asked), "").atMost(1),
		value("received in it", float64(bytes)/1024, "KiB").atMost(64),
		value("a list of branches and tags, where one is needed", ms(time.Since(begin)), "ms"),
		value("received for that list", float64(g.Bytes())/1024, "KiB"),
	}, nil
}
