package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

var _ = register("sources", sourceSuite)

// sourceSuite measures what a push costs in a repository of many pipelines, each of
// which watches a folder of its own: one of them is concerned.
func sourceSuite(_ context.Context, b *bench) ([]row, error) {
	few, many := 50, 500
	b.say("  a push that concerns one of %d and one of %d pipelines", few, many)
	var rows []row
	var took [2]float64
	for i, n := range []int{few, many} {
		m := newMonorepo(n)
		push, promoted := m.push()
		took[i] = m.cost(push)
		rows = append(rows, value(fmt.Sprintf("a push, %d pipelines", n), took[i], "µs"),
			value(fmt.Sprintf("pipelines that it concerns, of %d", n), float64(promoted), "").exactly(1))
	}
	return append(rows, value(fmt.Sprintf("a push, %d pipelines against %d", many, few), took[1]/took[0], "").atMost(1.2)), nil
}

// monorepo is the state of a repository whose pipelines were all looked at once.
type monorepo struct {
	state *promotion.State
	now   time.Time
	repo  promotion.Repo
}

func newMonorepo(pipelines int) *monorepo {
	m := &monorepo{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), repo: promotion.Repo{ID: 1, Owner: "acme", Name: "mono", DefaultBranch: "main"}}
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

// push is one that touches the folder of one pipeline, and how many pipelines it
// gives freight or a look.
func (m *monorepo) push() (in promotion.Input, concerned int) {
	in = promotion.Event{Repo: m.repo, At: m.now, Body: promotion.Pushed{
		Branch: "main", Before: commitNo(0), After: commitNo(1), Pusher: "octocat", Complete: true,
		Commits: []promotion.PushedCommit{{SHA: commitNo(1), Message: "Change an app", Paths: []string{"apps/app-023/main.go", "apps/app-023/go.mod"}}},
	}}
	d := promotion.Advance(m.state, []promotion.Input{in}, m.now)
	for name, ps := range d.State.Pipelines {
		if len(ps.Freight) != len(m.state.Pipelines[name].Freight) {
			concerned++
		}
	}
	return in, concerned + len(d.Effects) - len(promotion.Advance(m.state, nil, m.now).Effects)
}

// cost is the median time of the decision, in microseconds.
func (m *monorepo) cost(in promotion.Input) float64 {
	m.take(promotion.Event{Repo: m.repo, Body: promotion.Pushed{Branch: "main", Before: commitNo(0), After: commitNo(0), Complete: true,
		Commits: []promotion.PushedCommit{{SHA: commitNo(0), Message: "Nothing of theirs", Paths: []string{"README.md"}}}}}) // the first one lists what is where
	var times []time.Duration
	for range 101 {
		begin := time.Now()
		for range 10 {
			promotion.Advance(m.state, []promotion.Input{in}, m.now)
		}
		times = append(times, time.Since(begin)/10)
	}
	return ms(median(times)) * 1000
}
