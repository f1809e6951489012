package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/engine"
	"github.com/stagecoach-app/stagecoach/server/store"
)

var _ = register("sources", sourceSuite)

// sourceSuite measures what a push costs in a repository of many pipelines, each of
// which watches a folder of its own: one of them is concerned. The decision copies the
// list of pipelines, which is the part that grows; the save writes what changed.
func sourceSuite(ctx context.Context, b *bench) ([]row, error) {
	few, many := 50, 500
	b.say("  a push that concerns one of %d and one of %d pipelines", few, many)
	small, large := newMonorepo(few), newMonorepo(many)
	var rows []row
	for _, m := range []*monorepo{small, large} {
		_, promoted := m.push()
		rows = append(rows, value(fmt.Sprintf("pipelines that a push concerns, of %d", m.pipelines), float64(promoted), "").exactly(1))
	}
	decided := inTurns(small.deciding(), large.deciding())
	saved, err := savesInTurns(ctx, b, small, large)
	if err != nil {
		return nil, err
	}
	return append(rows,
		value(fmt.Sprintf("the decision about a push, %d pipelines", few), decided[0], "µs"),
		value(fmt.Sprintf("the decision about a push, %d pipelines", many), decided[1], "µs").atMost(100),
		value(fmt.Sprintf("decision and save, synced, %d pipelines", few), saved[0], "µs"),
		value(fmt.Sprintf("decision and save, synced, %d pipelines", many), saved[1], "µs"),
		value(fmt.Sprintf("decision and save, %d pipelines against %d", many, few), saved[1]/saved[0], "").atMost(1.2)), nil
}

// savesInTurns are the times of a decision and its save, each in a store of its own and
// synced to disk, in microseconds: of each the best tenth of many rounds, see inTurns.
func savesInTurns(ctx context.Context, b *bench, repos ...*monorepo) ([]float64, error) {
	times := make([][]time.Duration, len(repos))
	for _, m := range repos {
		done, err := m.open(ctx, b)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	const rounds = 200
	for i := range rounds {
		for k, m := range repos {
			begin := time.Now()
			m.take(m.pushed(i, i+1))
			if err := m.save(ctx); err != nil {
				return nil, err
			}
			times[k] = append(times[k], time.Since(begin))
		}
	}
	var out []float64
	for _, all := range times {
		slices.Sort(all)
		out = append(out, float64(all[rounds/10].Nanoseconds())/1000)
	}
	return out, nil
}

// open makes a store with the state.
func (m *monorepo) open(ctx context.Context, b *bench) (done func(), err error) {
	dir, err := b.diskDir()
	if err != nil {
		return nil, err
	}
	e, err := engine.Open(ctx, engine.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	if m.store, err = store.Open(ctx, e.JetStream(), store.Options{}); err == nil {
		err = m.save(ctx)
	}
	if err != nil {
		_ = e.Close()
		return nil, err
	}
	return func() { m.store.Close(); _ = e.Close() }, nil // its folder is removed
}

func (m *monorepo) save(ctx context.Context) (err error) {
	m.revision, err = m.store.Save(ctx, m.state, m.revision)
	return err
}

// monorepo is the state of a repository whose pipelines were all looked at once.
type monorepo struct {
	pipelines int
	state     *promotion.State
	now       time.Time
	repo      promotion.Repo
	store     *store.Store
	revision  uint64 // in the store
}

func newMonorepo(pipelines int) *monorepo {
	m := &monorepo{pipelines: pipelines, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), repo: promotion.Repo{ID: 1, Owner: "acme", Name: "mono", DefaultBranch: "main"}}
	m.state = &promotion.State{Version: promotion.StateVersion, Repo: m.repo, Issue: 1}
	read := promotion.ConfigRead{SHA: commitNo(0), Branch: "main", Tips: map[string]string{"main": commitNo(0)}, Pipelines: map[string]*promotion.Pipeline{}}
	for i := range pipelines {
		p := folderPipeline(i)
		read.Pipelines[p.Name] = p
	}
	effects := m.take(read)
	var looked []promotion.Input
	for _, e := range effects {
		looked = append(looked, promotion.Result{Effect: e.ID, Tip: commitNo(0), Artifact: &promotion.Artifact{
			Source: e.Source, Kind: promotion.ArtifactGit, Repo: m.repo.FullName(), Branch: "main", Commit: commitNo(0),
		}})
	}
	m.take(looked...)
	m.land()
	return m
}

// land lets every stage hold something that it wrote in a file of its own, as in a
// repository that has promoted for a while.
func (m *monorepo) land() {
	s := *m.state
	s.Pipelines = map[string]*promotion.PipelineState{}
	for name, ps := range m.state.Pipelines {
		own := *ps
		f := own.Freight[len(own.Freight)-1]
		for i := range 10 {
			own.Promotions = append(own.Promotions, &promotion.Promotion{
				Name: promotion.NewName("dev", m.now, fmt.Sprint(name, i), f.ID), Pipeline: name, Stage: "dev", Freight: f.ID,
				Phase: promotion.PhaseSucceeded, Cause: "a comment", Message: "It landed.", CreatedAt: m.now, EndedAt: m.now, Landed: commitNo(0), LandedAt: m.now,
			})
		}
		own.Stages = map[string]*promotion.StageState{"dev": {Current: &promotion.Landing{
			Freight: f.ID, Promotion: "p", Commit: commitNo(0), At: m.now, Files: []string{"envs/" + name + ".yaml"},
		}}}
		s.Pipelines[name] = &own
	}
	m.state = &s
	m.take(promotion.Event{Repo: m.repo, Body: promotion.Woke{}})
}

// folderPipeline watches one folder and promotes when somebody asks.
func folderPipeline(i int) *promotion.Pipeline {
	name := fmt.Sprintf("app-%03d", i)
	return &promotion.Pipeline{
		Name: name, Path: ".github/stagecoach/" + name + ".yml",
		Sources: []promotion.Source{{Name: "app", Git: &promotion.GitSource{Paths: []string{"apps/" + name + "/**"}, Ignore: []string{"**/*.md"}}}},
		Stages: []promotion.Stage{{Name: "dev", Deliver: promotion.DeliverPullRequest, Steps: []promotion.Step{
			{Uses: "yaml-update", Config: json.RawMessage(`{"path":"envs/` + name + `.yaml"}`)},
		}}},
	}
}

// commitNo is a name for a commit.
func commitNo(n int) string { return fmt.Sprintf("%040x", n+1) }

func (m *monorepo) take(inputs ...promotion.Input) []promotion.Effect {
	d := promotion.Advance(m.state, inputs, m.now)
	m.state = d.State
	return d.Effects
}

// pushed is a push that touches the folder of one pipeline.
func (m *monorepo) pushed(before, after int) promotion.Input {
	return promotion.Event{Repo: m.repo, At: m.now, Body: promotion.Pushed{
		Branch: "main", Before: commitNo(before), After: commitNo(after), Pusher: "octocat", Complete: true,
		Commits: []promotion.PushedCommit{{SHA: commitNo(after), Message: "Change an app", Paths: []string{"apps/app-023/main.go", "apps/app-023/go.mod"}}},
	}}
}

// push is one that touches the folder of one pipeline, and how many pipelines it
// gives freight or a look.
func (m *monorepo) push() (in promotion.Input, concerned int) {
	in = m.pushed(0, 1)
	d := promotion.Advance(m.state, []promotion.Input{in}, m.now)
	for name, ps := range d.State.Pipelines {
		if len(ps.Freight) != len(m.state.Pipelines[name].Freight) {
			concerned++
		}
	}
	return in, concerned + len(d.Effects) - len(promotion.Advance(m.state, nil, m.now).Effects)
}

// deciding is the decision about it, when the state was asked once what is where.
func (m *monorepo) deciding() func() {
	in, _ := m.push()
	m.take(promotion.Event{Repo: m.repo, Body: promotion.Pushed{Branch: "main", Before: commitNo(0), After: commitNo(0), Complete: true,
		Commits: []promotion.PushedCommit{{SHA: commitNo(0), Message: "Nothing of theirs", Paths: []string{"README.md"}}}}})
	return deciding(m.state, in, m.now)
}
