package status_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/status"
)

var (
	at   = time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
	old  = promotion.NewFreight([]promotion.Artifact{{Source: "web", Kind: "image", Tag: "1.4.1"}}, 1, at)
	next = promotion.NewFreight([]promotion.Artifact{{Source: "web", Kind: "image", Tag: "1.4.2"}}, 2, at)
)

func promo(stage string, phase promotion.Phase, n int) *promotion.Promotion {
	p := &promotion.Promotion{
		Name:  promotion.NewName(stage, at.Add(time.Duration(n)*time.Second), fmt.Sprint(n), next.ID),
		Stage: stage, Freight: next.ID, Phase: phase, CreatedAt: at, RequestedBy: "octocat",
	}
	if phase.Terminal() {
		p.EndedAt = at.Add(time.Duration(n) * time.Minute)
	}
	return p
}

// world is a repository with a stage of each kind of health.
func world() *promotion.State {
	waiting := promo("prod", promotion.PhaseWaiting, 100)
	waiting.PullRequest = &promotion.PullRequest{Number: 214, State: "open"}
	waiting.Message = "Waiting for 1 of 2 approvals (hubot approved)"
	waiting.Gates = []promotion.Gate{
		{Name: "after", Status: promotion.GateOpen, Text: "staging verified it", Until: at},
		{Name: "approvals", Status: promotion.GatePending, Text: "1 of 2 approvals", Person: true},
		{Name: "windows", Status: promotion.GateClosed, Text: "Window opens Mon 09:00 UTC", Until: at.Add(2 * time.Hour)},
	}
	waiting.Plan = &promotion.Plan{Steps: []promotion.Step{{Uses: "yaml-update", As: "edit"}, {Uses: "git-wait-for-pr"}}}
	waiting.Steps = []promotion.StepState{{Phase: promotion.StepSucceeded}, {}}
	ps := &promotion.PipelineState{Freight: []*promotion.Freight{old, next}, Stages: map[string]*promotion.StageState{
		"dev":     {Current: &promotion.Landing{Freight: next.ID, At: at}, Verified: map[string]time.Time{next.ID: at}},
		"staging": {Current: &promotion.Landing{Freight: old.ID, At: at}, Health: promotion.Health{Bad: true, Why: "red"}, Paused: &promotion.Mark{By: "hubot", At: at}},
		"prod":    {Current: &promotion.Landing{Freight: old.ID, At: at}, Freeze: &promotion.Mark{By: "octocat", Reason: "incident 42"}},
	}}
	now := promo("prod", promotion.PhaseQueued, 7)
	now.Priority = promotion.PriorityNow
	ps.Promotions = append(ps.Promotions, promo("prod", promotion.PhaseQueued, 3), now, waiting)
	for n := range 12 {
		ps.Promotions = append(ps.Promotions, promo("dev", promotion.PhaseSucceeded, n))
	}
	return &promotion.State{
		Repo: promotion.Repo{Owner: "acme", Name: "gitops"}, Issue: 1, Revision: 12, Pipelines: map[string]*promotion.PipelineState{"default": ps},
		Local: promotion.Local{Config: map[string]*promotion.Pipeline{"default": {Name: "default", Stages: []promotion.Stage{
			{Name: "prod", After: []string{"staging"}}, {Name: "staging", After: []string{"dev"}}, {Name: "dev"}, {Name: "edge", After: []string{"prod"}},
		}}}},
		Problems: []promotion.Problem{{Text: "nobody is in @acme/sre", File: ".github/stagecoach.yml", Line: 3}},
	}
}

func TestOf(t *testing.T) {
	s := status.Of(world(), ledger.Links{WebURL: "https://github.example.com"})
	if s.Repository != "acme/gitops" || s.Issue != "https://github.example.com/acme/gitops/issues/1" || s.Revision != 12 {
		t.Errorf("got %+v", s)
	}
	if got := fmt.Sprint(s.Problems); got != "[.github/stagecoach.yml:3:1: nobody is in @acme/sre]" {
		t.Error(got)
	}
	var got []string
	for _, st := range s.Stages {
		got = append(got, fmt.Sprint(st.Name, " ", text(st.Freight), " ", st.Health, " ", text(st.Frozen), " ", text(st.Paused), " ", text(st.Running) != "-", " ", len(st.Queue)))
	}
	want := []string{
		"dev " + next.Alias() + " healthy - - false 0", "staging " + old.Alias() + " unhealthy - by hubot false 0",
		"prod " + old.Alias() + " unverified incident 42 - true 2", "edge -  - - false 0",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("stages\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if q := s.Stages[2].Queue; q[0] != world().Pipelines["default"].Promotions[1].Name {
		t.Errorf("the queue %v does not begin with what is urgent", q)
	}
}

func TestOfPromotions(t *testing.T) {
	s := status.Of(world(), ledger.Links{})
	if len(s.Promotions) != 13 {
		t.Fatalf("%d promotions, want three live ones and ten that ended", len(s.Promotions))
	}
	p := s.Promotions[2]
	if p.Phase != "waiting" || !p.Until.Equal(at.Add(2*time.Hour)) || *p.PullRequest != 214 || p.Freight != next.Alias() || *p.RequestedBy != "octocat" || p.Commit != nil {
		t.Errorf("got %+v", p)
	}
	if got := fmt.Sprint(p.Steps); got != "[{yaml-update edit succeeded } {git-wait-for-pr  pending }]" {
		t.Error(got)
	}
	if g := p.Gates[1]; len(p.Gates) != 3 || g.Name != "approvals" || g.Status != "pending" || g.Until != nil {
		t.Errorf("gates %+v", p.Gates)
	}
	if first, last := s.Promotions[3], s.Promotions[12]; !first.EndedAt.Equal(at.Add(11*time.Minute)) || !last.EndedAt.Equal(at.Add(2*time.Minute)) {
		t.Errorf("ended at %s to %s, want the last one first", first.EndedAt, last.EndedAt)
	}
}

// Null and empty lists are part of the form: a script may rely on them.
func TestJSONOfAnEmptyRepository(t *testing.T) {
	empty := &promotion.State{Repo: promotion.Repo{Owner: "acme", Name: "gitops"}, Local: promotion.Local{
		Config: map[string]*promotion.Pipeline{"default": {Name: "default", Stages: []promotion.Stage{{Name: "dev"}}}},
	}, Freeze: &promotion.Mark{}}
	raw, err := json.Marshal(status.Of(empty, ledger.Links{}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"repository":"acme/gitops","issue":"","revision":0,"problems":[],"pipelines":["default"],"stages":[{"pipeline":"default","name":"dev",` +
		`"freight":null,"version":"","since":null,"health":"","frozen":"no reason given","paused":null,"running":null,"queue":[]}],"promotions":[]}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
}

func TestTextFitsAndIsHarmless(t *testing.T) {
	s := world()
	s.Problems = append(s.Problems, promotion.Problem{Text: strings.Repeat("long words ", 40) + "\x1b[31mred\u202e\u200f\u061c"})
	for _, p := range s.Pipelines["default"].Promotions {
		p.Message = strings.Repeat("why ", 60)
	}
	s.Pipelines["default"].Stages["dev"].Freeze = &promotion.Mark{Reason: strings.Repeat("because ", 30)}
	out := status.Of(s, ledger.Links{WebURL: "https://github.example.com"}).Text()
	for _, want := range []string{"✅ healthy", "❌ unhealthy", "⏳ waiting", "prod is frozen: incident 42", "git-wait-for-pr pending", "windows is closed"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	for line := range strings.Lines(out) {
		// The marks take two columns, and few lines have more than two of them.
		if n := len([]rune(strings.TrimSpace(line))); n > 98 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	if strings.ContainsAny(out, "\x1b\u202e\u200f\u061c") {
		t.Error("somebody's control characters reach the terminal")
	}
}

func text(p *string) string {
	if p == nil {
		return "-"
	}
	return *p
}
