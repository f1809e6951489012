package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// The mark and the word of a promotion, and whether somebody has to act.
func TestHowPromotionsStand(t *testing.T) {
	endless := frozenGate
	endless.Until, endless.Person = time.Time{}, true
	block := promotion.Gate{Name: promotion.GateBlock, Status: promotion.GateClosed, Person: true, Text: "Blocked by octocat"}
	red := promotion.Gate{Name: promotion.GateChecks, Status: promotion.GateClosed, Text: "Not green: e2e"}
	broken := promotion.Gate{Name: promotion.GateWindows, Status: promotion.GateClosed, Person: true, Text: "The windows cannot be read: no"}
	for _, tc := range []struct {
		name   string
		change func(*promotion.Promotion)
		gates  []promotion.Gate
		want   string
		needs  bool
	}{
		{"all gates are open", nil, mergeGates(), "✋ waiting", true},
		{"no gates", nil, nil, "✋ waiting", true},
		{"the app merges", func(p *promotion.Promotion) { *p = *merging(false) }, nil, "⏳ waiting", false},
		{"GitHub does not let it", func(p *promotion.Promotion) { *p = *merging(true) }, nil, "✋ waiting", true},
		{"approvals", nil, mergeGates(oneOfTwo), "✋ waiting", true},
		{"a window", nil, mergeGates(windowShut), "⏳ waiting", false},
		{"a window and approvals", nil, mergeGates(windowShut, oneOfTwo), "✋ waiting", true},
		{"a freeze with an end", nil, []promotion.Gate{frozenGate}, "❄️ frozen", false},
		{"a freeze without one", nil, []promotion.Gate{endless}, "❄️ frozen", false},
		{"a freeze and approvals", nil, []promotion.Gate{frozenGate, oneOfTwo}, "✋ waiting", true},
		{"a block", nil, []promotion.Gate{block}, "❌ waiting", false},
		{"windows that cannot be read", nil, []promotion.Gate{broken}, "✋ waiting", true},
		{"queued, a red check", func(p *promotion.Promotion) { p.Phase, p.PullRequest = promotion.PhaseQueued, nil }, []promotion.Gate{red}, "❌ queued", false},
		{"queued, approvals", func(p *promotion.Promotion) { p.Phase, p.PullRequest = promotion.PhaseQueued, nil }, []promotion.Gate{oneOfTwo}, "✋ queued", true},
		{"steps run", func(p *promotion.Promotion) { p.Phase = promotion.PhaseRunning }, mergeGates(oneOfTwo), "🔄 running", false},
		{"waits for a rate limit", func(p *promotion.Promotion) { p.PullRequest = nil }, mergeGates(oneOfTwo), "⏳ waiting", false},
		{"verifying", func(p *promotion.Promotion) {
			p.PullRequest.State, p.Verify = "merged", &promotion.Verification{Until: day}
		}, mergeGates(oneOfTwo), "⏳ verifying", false},
		{"ended", func(p *promotion.Promotion) { p.Phase = promotion.PhaseSucceeded }, mergeGates(oneOfTwo), "✅ succeeded", false},
		{"went back", func(p *promotion.Promotion) {
			p.Phase, p.Priority = promotion.PhaseSucceeded, promotion.PriorityRollback
		}, nil, "↩️ succeeded", false},
	} {
		p := gated()
		p.Gates = tc.gates
		if tc.change != nil {
			tc.change(p)
		}
		if got := phase(p); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if got := needsPerson(p); got != tc.needs {
			t.Errorf("%s: needs a person: %v, want %v", tc.name, got, tc.needs)
		}
	}
}

// A gate's sentence names the hour; what is drawn names the day too, because it
// may be read on another one.
func TestGateTextsKeepTheirDay(t *testing.T) {
	at := time.Date(2026, 12, 1, 14, 5, 0, 0, time.UTC)
	for _, tc := range []struct {
		text  string
		until time.Time
		want  string
	}{
		{"Soaking until 14:05 UTC", at, "Soaking until 1 Dec 14:05 UTC"},
		{"Soaking until 1 Dec 14:05 UTC", at, "Soaking until 1 Dec 14:05 UTC"},
		{"Frozen by octocat until 14:05 UTC: since 14:05 UTC", at, "Frozen by octocat until 1 Dec 14:05 UTC: since 14:05 UTC"},
		{"Window opens Tue 15:05 Europe/Berlin", at, "Window opens Tue 15:05 Europe/Berlin (1 Dec 14:05 UTC)"},
		{"Window opens Tue 14:05 UTC", at.AddDate(1, 0, 0), "Window opens Tue 1 Dec 2027 14:05 UTC"},
		{"Verified in staging", time.Time{}, "Verified in staging"},
		{"", time.Time{}, "soak pending"},
	} {
		g := promotion.Gate{Name: promotion.GateSoak, Status: promotion.GatePending, Text: tc.text, Until: tc.until}
		if got := gateText(g, day, 100); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestAskedApprovals(t *testing.T) {
	for want, a := range map[string]*promotion.Approvals{
		"":                                nil,
		"1 approval":                      {},
		"2 approvals from the team `sre`": {Count: 2, Teams: []string{"sre"}},
		"1 approval from `hubot`, but not from who asked for it or pushed to it": {Users: []string{"hubot"}, ExcludeRequester: true},
		"3 approvals from the team `sre` or the team `ops` or `hubot`":           {Count: 3, Teams: []string{"sre", "ops"}, Users: []string{"hubot"}},
		"1 approval from " + strings.Repeat("`hubot` or ", 10) + "… and 5 more":  {Users: strings.Fields(strings.Repeat("hubot ", 15))},
		"1 approval from the team \\`a\\|b\\` or `@" + gap + "octocat`":          {Teams: []string{"a|b"}, Users: []string{"@octocat"}},
	} {
		stage := &promotion.Stage{Gates: promotion.Gates{Approvals: a}}
		if got := asked(stage); got != want {
			t.Errorf("%+v: %q, want %q", a, got, want)
		}
	}
	if got := asked(nil); got != "" {
		t.Errorf("of a stage that is gone: %q", got)
	}
}

// What is not over is told once: an unhealthy stage is not stuck besides, and a
// pull request that somebody closed calls nobody.
func TestNeedsAreToldOnce(t *testing.T) {
	needs := func(change func(*promotion.State, *promotion.Promotion)) string {
		s := guarded()
		p := landedOn(attempt("default", "staging", webFreight(2), day, promotion.PhaseFailed), 209)
		p.Message = "Verification said no: argocd/web-staging"
		s.Pipelines["default"].Stages["staging"].Health = promotion.Health{Bad: true, Why: "Verification said no: argocd/web-staging"}
		change(s, p)
		return newView(plus(s, p), testLinks, day).needs()
	}
	for name, tc := range map[string]struct {
		change func(*promotion.State, *promotion.Promotion)
		lines  int
		want   string
	}{
		"unhealthy by it": {func(*promotion.State, *promotion.Promotion) {}, 1, "unhealthy: Verification said no"},
		"only failed": {func(s *promotion.State, _ *promotion.Promotion) {
			s.Pipelines["default"].Stages["staging"].Health.Bad = false
		}, 1, "failed: Verification"},
		"a step said no": {func(s *promotion.State, p *promotion.Promotion) {
			p.Landed, p.PullRequest = "", nil
		}, 2, "failed: Verification"},
		"closed by somebody": {func(s *promotion.State, p *promotion.Promotion) {
			s.Pipelines["default"].Stages["staging"].Health.Bad = false
			p.Landed, p.PullRequest.State = "", "closed"
		}, 0, "Nothing waits for anybody."},
	} {
		got := needs(tc.change)
		if lines := strings.Count(got, "\n- "); lines != tc.lines || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %d entries, want %d and %q:\n%s", name, lines, tc.lines, tc.want, got)
		}
	}
}

// What comes next in an idle stage names what freight still waits for.
func TestTermsOfWhatComesNext(t *testing.T) {
	late := day.Add(time.Hour)
	for _, tc := range []struct {
		name   string
		change func(*promotion.Pipeline, *promotion.PipelineState)
		want   string
	}{
		{"soak and checks", func(*promotion.Pipeline, *promotion.PipelineState) {},
			"is ready from 30 Nov 10:42 UTC (soak 30 min), when `e2e` and `argocd/web-staging` is green: `/promote prod merry-hawk`"},
		{"the first of any", func(c *promotion.Pipeline, _ *promotion.PipelineState) {
			c.Stages[0].After, c.Stages[0].AfterMode = []string{"staging", "dev"}, promotion.AfterAny
		},
			"from 30 Nov 09:42 UTC (soak 30 min)"},
		{"an unhealthy stage before", func(_ *promotion.Pipeline, ps *promotion.PipelineState) { ps.Stages["staging"].Health.Bad = true },
			"when staging is healthy: `/promote prod merry-hawk`"},
		{"automatic", func(c *promotion.Pipeline, _ *promotion.PipelineState) { c.Stages[0].Auto = true },
			"automatic: [web 140bf12]"},
		{"automatic, tried already", func(c *promotion.Pipeline, ps *promotion.PipelineState) {
			c.Stages[0].Auto, ps.Stages["prod"].Tried = true, map[string]bool{webFreight(2).ID: true}
		}, "automatic"},
		{"blocked", func(_ *promotion.Pipeline, ps *promotion.PipelineState) {
			ps.Blocked = map[string]*promotion.Mark{webFreight(2).ID: {By: "octocat"}}
		}, "`/promote prod`"},
		{"paused", func(c *promotion.Pipeline, ps *promotion.PipelineState) {
			c.Stages[0].Auto, ps.Stages["prod"].Paused = true, &promotion.Mark{}
		}, "`/resume prod` or `/promote prod`"},
		{"frozen", func(_ *promotion.Pipeline, ps *promotion.PipelineState) {
			ps.Stages["prod"].Freeze = &promotion.Mark{Until: late}
		}, "when the freeze ends, 30 Nov 10:12 UTC"},
	} {
		s := guarded()
		config, ps := s.Local.Config["default"], s.Pipelines["default"]
		config.Stages[0].After = []string{"dev", "staging"}
		ps.Stages["dev"].Verified[webFreight(2).ID] = day
		ps.Stages["staging"].Verified[webFreight(2).ID] = late
		tc.change(config, ps)
		v := newView(s, testLinks, day)
		if got := v.next(v.pipes[0], "prod"); !strings.Contains(got, tc.want) || len(tc.want) < 20 && got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// A graph has at most maxNodes nodes, however big the pipeline: stages side by
// side share one, and where that does not help there is none.
func TestGraphsAreBounded(t *testing.T) {
	row := func(n int) *promotion.State {
		s := base()
		s.Local.Config["default"].Stages = nil
		for i := range n {
			stage := promotion.Stage{Name: fmt.Sprintf("s%03d", i)}
			if i > 0 {
				stage.After = []string{fmt.Sprintf("s%03d", i-1)}
			}
			s.Local.Config["default"].Stages = append(s.Local.Config["default"].Stages, stage)
		}
		return s
	}
	for name, tc := range map[string]struct {
		state *promotion.State
		nodes int
		rows  int
		left  string
	}{
		"a hundred, regions": {hundred(), 6, 14, ""},
		"39 in a row":        {row(39), 40, 39, ""},
		"a hundred in a row": {row(100), 0, 40, "… and 60 more stages, in which nothing goes on."},
	} {
		text := Draw(tc.state, testLinks, day)
		if nodes := strings.Count(text, "[\""); nodes != tc.nodes {
			t.Errorf("%s: %d nodes, want %d", name, nodes, tc.nodes)
		}
		table, _, _ := strings.Cut(text[strings.Index(text, "| stage | runs"):], "\n\n")
		if rows := strings.Count(table, "\n|") - 1; rows != tc.rows {
			t.Errorf("%s: %d rows, want %d", name, rows, tc.rows)
		}
		if !strings.Contains(text, tc.left) || (tc.left == "") == strings.Contains(text, "more stages") {
			t.Errorf("%s: does not say %q", name, tc.left)
		}
	}
}

// Where rows have to be left out, those in which something goes on stay.
func TestLivelyStagesAreShown(t *testing.T) {
	s := base()
	config := s.Local.Config["default"]
	for i := range 100 {
		config.Stages = append(config.Stages, promotion.Stage{Name: fmt.Sprintf("s%03d", i), After: []string{config.Stages[len(config.Stages)-1].Name}})
	}
	plus(s, attempt("default", "s098", webFreight(2), day, promotion.PhaseRunning))
	s.Pipelines["default"].Stages["s099"] = &promotion.StageState{Freeze: &promotion.Mark{By: "octocat", At: day}}
	text := Draw(s, testLinks, day)
	for _, stage := range []string{"| dev |", "| s098 |", "| s099 |"} {
		if !strings.Contains(text, "\n"+stage) {
			t.Errorf("%s has no row", stage)
		}
	}
}
