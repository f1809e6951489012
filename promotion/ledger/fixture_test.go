package ledger

import (
	"fmt"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

var (
	testLinks = Links{WebURL: "https://github.com"}
	testKey   = []byte("a key of the test's own")
	day       = time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
)

func sha(seed string) string { return promotion.FreightID([]promotion.Artifact{{Source: seed}}) }

func webFreight(n int) *promotion.Freight {
	return promotion.NewFreight([]promotion.Artifact{{
		Source: "web", Kind: "git", Repo: "acme/web", Branch: "main", Commit: sha(fmt.Sprint("web", n)),
		Title: fmt.Sprintf("Fix rounding in totals (#%d)", 80+n), Author: "octocat", At: day.Add(time.Duration(n) * time.Minute),
	}}, int64(n), day.Add(time.Duration(n)*time.Minute))
}

func webPipeline(name string) *promotion.Pipeline {
	path := ".github/stagecoach.yml"
	if name != promotion.DefaultPipeline {
		path = ".github/stagecoach/" + name + ".yml"
	}
	// Written out of order: what is drawn follows `after`.
	return &promotion.Pipeline{Name: name, Path: path,
		Sources: []promotion.Source{{Name: "web", Git: &promotion.GitSource{Repo: "acme/web"}}},
		Stages: []promotion.Stage{
			{Name: "prod", After: []string{"staging"}, Deliver: promotion.DeliverPullRequest},
			{Name: "dev", Auto: true, Deliver: promotion.DeliverCommit},
			{Name: "staging", After: []string{"dev"}, Auto: true, Deliver: promotion.DeliverPullRequest},
		}}
}

func attempt(pipeline, stage string, f *promotion.Freight, at time.Time, phase promotion.Phase) *promotion.Promotion {
	cause := "comment/" + fmt.Sprint(at.Unix()) + "/1"
	p := &promotion.Promotion{
		Name: promotion.NewName(stage, at, cause, f.ID), Pipeline: pipeline, Stage: stage, Freight: f.ID, Phase: phase,
		RequestedBy: "octocat", Cause: cause, CreatedAt: at,
	}
	if phase == promotion.PhaseQueued {
		return p
	}
	p.StartedAt = at.Add(time.Second)
	p.Plan = &promotion.Plan{Deliver: promotion.DeliverPullRequest, Branch: "main", Steps: []promotion.Step{
		{Uses: "yaml-update"}, {Uses: "git-commit", Added: true}, {Uses: "git-push", Added: true},
		{Uses: "git-open-pr", Added: true}, {Uses: "git-wait-for-pr", Added: true},
	}}
	p.Steps = make([]promotion.StepState, 5)
	if phase.Terminal() {
		p.EndedAt = p.StartedAt.Add(134 * time.Minute)
	}
	return p
}

// done sets the phases of the promotion's steps.
func done(p *promotion.Promotion, phases ...promotion.StepPhase) *promotion.Promotion {
	for i, phase := range phases {
		p.Steps[i].Phase = phase
	}
	return p
}

func landedOn(p *promotion.Promotion, pr int) *promotion.Promotion {
	ok := promotion.StepSucceeded
	done(p, ok, ok, ok, ok, ok)
	p.Commit, p.Landed, p.Message = sha(p.Name), sha(p.Name+"landed"), "Landed in 2 h 14 min"
	if pr > 0 {
		p.PullRequest = &promotion.PullRequest{Number: pr, Head: p.Commit, State: "merged"}
	}
	return p
}

func waitsFor(p *promotion.Promotion, pr int) *promotion.Promotion {
	ok := promotion.StepSucceeded
	done(p, ok, ok, ok, ok, promotion.StepWaiting)
	p.Commit, p.Message = sha(p.Name), "Waiting for merge: all gates are open"
	p.Changes = []promotion.Change{{Path: "envs/prod/values.yaml", Status: "modified", Before: "tag: 1.4.1", After: "tag: 1.4.2"}}
	p.PullRequest = &promotion.PullRequest{Number: pr, Head: p.Commit, State: "open"}
	return p
}

// base is a repository with one pipeline: freight 1 is everywhere, freight 2 in dev and staging.
func base(pipelines ...string) *promotion.State {
	s := &promotion.State{
		Version: promotion.StateVersion, Revision: 7, Issue: 5,
		Repo:      promotion.Repo{ID: 42, Owner: "acme", Name: "gitops", DefaultBranch: "main", Installation: 9},
		Pipelines: map[string]*promotion.PipelineState{}, Local: promotion.Local{Config: map[string]*promotion.Pipeline{}},
	}
	if len(pipelines) == 0 {
		pipelines = []string{promotion.DefaultPipeline}
	}
	for _, name := range pipelines {
		s.Local.Config[name] = webPipeline(name)
		s.Pipelines[name] = movedOn(name)
	}
	return s
}

func movedOn(name string) *promotion.PipelineState {
	one, two := webFreight(1), webFreight(2)
	ps := &promotion.PipelineState{
		Freight: []*promotion.Freight{one, two}, NextNumber: 3,
		Artifacts: map[string]promotion.Artifact{"web": two.Artifacts[0]}, Stages: map[string]*promotion.StageState{},
	}
	land := func(stage string, f *promotion.Freight, at time.Time, pr int) {
		p := landedOn(attempt(name, stage, f, at, promotion.PhaseSucceeded), pr)
		p.Automatic = stage != "prod"
		ps.Promotions = append(ps.Promotions, p)
		st := ps.Stages[stage]
		if st == nil {
			st = &promotion.StageState{Verified: map[string]time.Time{}}
			ps.Stages[stage] = st
		}
		st.Verified[f.ID] = p.EndedAt
		st.Current = &promotion.Landing{Freight: f.ID, Promotion: p.Name, Commit: p.Landed, At: p.EndedAt}
	}
	land("dev", one, day.AddDate(0, 0, -9), 0)
	land("staging", one, day.AddDate(0, 0, -8), 201)
	land("prod", one, day.AddDate(-1, 0, 0), 203)
	land("dev", two, day.AddDate(0, 0, -1), 0)
	land("staging", two, day.Add(-20*time.Hour), 209)
	return ps
}

// plus adds promotions to the state's default pipeline.
func plus(s *promotion.State, list ...*promotion.Promotion) *promotion.State {
	ps := s.Pipelines[promotion.DefaultPipeline]
	ps.Promotions = append(ps.Promotions, list...)
	return s
}
