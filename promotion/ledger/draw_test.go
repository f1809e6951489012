package ledger

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
)

var update = flag.Bool("update", false, "write the golden files anew")

// scenes are the states whose drawings are kept under testdata.
var scenes = []struct {
	name  string
	state func() *promotion.State
}{
	{"empty", func() *promotion.State {
		s := base()
		s.Pipelines, s.Local.Config = nil, nil
		return s
	}},
	{"new", func() *promotion.State {
		s := base()
		s.Pipelines = nil
		return s
	}},
	{"quiet", func() *promotion.State { return base() }},
	{"running", func() *promotion.State {
		p := attempt("default", "prod", webFreight(2), day, promotion.PhaseRunning)
		p.Commit = sha("c")
		return plus(base(), done(p, promotion.StepSucceeded, promotion.StepSucceeded, promotion.StepRunning))
	}},
	{"waiting", func() *promotion.State {
		p := waitsFor(attempt("default", "prod", webFreight(2), day, promotion.PhaseWaiting), 214)
		p.Reason = "fix for checkout"
		return plus(base(), p)
	}},
	{"queue", queueOfThirty},
	{"errors", withErrors},
	{"broken", broken},
	{"pipelines", func() *promotion.State {
		s := base("default", "billing")
		s.Pipelines["billing"].Promotions = append(s.Pipelines["billing"].Promotions,
			waitsFor(attempt("billing", "prod", webFreight(2), day, promotion.PhaseWaiting), 215))
		return s
	}},
	{"gone", func() *promotion.State {
		s := base()
		s.Local.Config = nil
		s.Pipelines["default"].Gone = true
		s.Repo.Idle = "archived"
		return s
	}},
	{"approvals", func() *promotion.State { return plus(guarded(), approvedOnce(gated(oneOfTwo))) }},
	{"held-back", heldBack},
	{"soaking", soakingQueue},
	{"verifying", verifyingStaging},
	{"landed-past", landedPast},
	{"merging", func() *promotion.State { return plus(guarded(), merging(true)) }},
	{"hundred", hundred},
	{"hostile", hostile},
}

func queueOfThirty() *promotion.State {
	s := base()
	ps := s.Pipelines["default"]
	for i := range 30 {
		f := webFreight(3 + i)
		ps.Freight = append(ps.Freight, f)
		p := attempt("default", "prod", f, day.Add(time.Duration(i)*time.Minute), promotion.PhaseQueued)
		switch i {
		case 4:
			p.Priority, p.Reason = promotion.PriorityNow, "incident 42"
		case 7:
			p.Message = "Queued: staging has not verified it"
		}
		ps.Promotions = append(ps.Promotions, p)
	}
	ps.Artifacts["web"] = ps.Freight[len(ps.Freight)-1].Artifacts[0]
	return s
}

func withErrors() *promotion.State {
	s := base()
	three := webFreight(3)
	ps := s.Pipelines["default"]
	ps.Freight = append(ps.Freight, three)
	p := done(attempt("default", "staging", three, day.Add(-3*time.Hour), promotion.PhaseErrored), promotion.StepErrored)
	p.Automatic = true
	p.Steps[0].Message = "found no key `image.tagg` in `envs/staging/values.yaml` (nearest: `image.tag`)"
	p.Message = "Errored at step 1 of 5 (yaml-update): " + p.Steps[0].Message
	q := done(attempt("default", "prod", webFreight(2), day.Add(-2*time.Hour), promotion.PhaseFailed),
		promotion.StepSucceeded, promotion.StepSucceeded, promotion.StepSucceeded, promotion.StepSucceeded, promotion.StepFailed)
	q.Message, q.PullRequest = "Pull request #213 was closed by monalisa", &promotion.PullRequest{Number: 213, State: "closed"}
	s.Problems = []promotion.Problem{
		{Key: "ledger", Text: "This issue was closed by monalisa and has been reopened", At: day},
		{Key: "blocked/contents", Text: "the app may not push: it needs the permission contents=write"},
	}
	s.Local.Pending = map[string]*promotion.Effect{
		"a": {ID: "a", Kind: promotion.KindStep, Pipeline: "default", Promotion: p.Name, Blocked: s.Problems[1].Text},
		"b": {ID: "b", Kind: promotion.KindCheck, Pipeline: "default", Promotion: p.Name, Blocked: "the app may not write checks"},
	}
	return plus(s, p, q)
}

func broken() *promotion.State {
	s := base()
	s.Local.Config = nil
	s.Pipelines["default"].Broken = []promotion.Problem{
		{Key: "1", Text: "unknown key `stagse`", File: ".github/stagecoach.yml", Line: 4, Column: 1, Suggestion: "stages"},
		{Key: "2", Text: "stage `prod` comes after `staging`, which there is not", File: ".github/stagecoach.yml", Line: 12},
	}
	return plus(s, attempt("default", "prod", webFreight(2), day, promotion.PhaseQueued))
}

func TestDrawGolden(t *testing.T) {
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) {
			golden(t, scene.name+".md", Draw(scene.state(), testLinks, day))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is drawn otherwise (-want +got; go test -update after looking at it):\n%s", name, diff)
	}
}

// The same state gives the same text at any time of the year. The hash knows no time.
func TestDrawDoesNotFollowTheClock(t *testing.T) {
	for _, scene := range scenes {
		s := scene.state()
		if a, b := Draw(s, testLinks, day), Draw(s, testLinks, day.AddDate(0, -10, 3)); a != b {
			t.Errorf("%s: drawn otherwise in another month of the year:\n%s", scene.name, cmp.Diff(a, b))
		}
	}
	if with := Draw(scenes[2].state(), testLinks, day); !strings.Contains(with, "30 Nov 2025 11:26 UTC") || strings.Contains(with, "Nov 2026") {
		t.Error("a time of another year shows its year, one of this year does not: got\n" + with)
	}
}

func TestStageOrder(t *testing.T) {
	stage := func(name string, after ...string) promotion.Stage { return promotion.Stage{Name: name, After: after} }
	for _, tc := range []struct {
		name   string
		stages []promotion.Stage
		want   string
	}{
		{"as written", []promotion.Stage{stage("b"), stage("a")}, "b a"},
		{"after comes later", []promotion.Stage{stage("prod", "staging"), stage("staging", "dev"), stage("dev")}, "dev staging prod"},
		{"diamond", []promotion.Stage{stage("d", "b", "c"), stage("b", "a"), stage("c", "a"), stage("a")}, "a b c d"},
		{"a cycle ends", []promotion.Stage{stage("a", "b"), stage("b", "a"), stage("c")}, "c a b"},
		{"twice the same", []promotion.Stage{stage("a"), stage("a")}, "a"},
	} {
		if got := strings.Join(topological(tc.stages), " "); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
