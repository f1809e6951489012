package ledger

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestEligibleInWords(t *testing.T) {
	one, two, three := webFreight(1), webFreight(2), webFreight(3)
	verified := func(list ...*promotion.Freight) *promotion.StageState {
		s := &promotion.StageState{Verified: map[string]time.Time{}}
		for _, f := range list {
			s.Verified[f.ID] = day
			s.Current = &promotion.Landing{Freight: f.ID, At: day}
		}
		return s
	}
	state := &promotion.PipelineState{
		Freight: []*promotion.Freight{one, two, nil, three},
		Stages:  map[string]*promotion.StageState{"a": verified(one, two, three), "b": verified(one, two), "prod": verified(one)},
	}
	for _, tc := range []struct {
		mode    promotion.AfterMode
		after   []string
		missing string
		ready   *promotion.Freight
		gates   string
	}{
		{promotion.AfterAll, []string{"a", "b"}, "b", two, "✅ a verified it 30 Nov 09:12 UTC · ⏳ waiting: b has not verified it"},
		{promotion.AfterAny, []string{"a", "b"}, "", three, "✅ a verified it 30 Nov 09:12 UTC · ⏳ waiting: b has not verified it (any of them)"},
		{promotion.AfterAny, []string{"b", "c"}, "b and c", two, "⏳ waiting: b has not verified it · ⏳ waiting: c has not verified it (any of them)"},
		{promotion.AfterAll, []string{"c"}, "c", nil, "⏳ waiting: c has not verified it"},
		{"", nil, "", three, ""},
	} {
		config := &promotion.Pipeline{Stages: []promotion.Stage{{Name: "prod", After: tc.after, AfterMode: tc.mode}}}
		p := newPipe("default", config, state)
		if got := enumerate(p.missing("prod", three.ID)); got != tc.missing {
			t.Errorf("%s of %v: missing %q, want %q", tc.mode, tc.after, got, tc.missing)
		}
		if got := p.ready("prod"); got != tc.ready {
			t.Errorf("%s of %v: ready %v, want %v", tc.mode, tc.after, got, tc.ready)
		}
		if got := p.gates(attempt("default", "prod", three, day, promotion.PhaseQueued), day, 200); got != tc.gates {
			t.Errorf("%s of %v: gates %q, want %q", tc.mode, tc.after, got, tc.gates)
		}
	}
}

// What holds a stage, what waits and what ended are told apart, in the order
// of turns and of ends.
func TestLanes(t *testing.T) {
	f := webFreight(1)
	late := attempt("default", "prod", f, day.Add(time.Hour), promotion.PhaseQueued)
	now := attempt("default", "prod", f, day.Add(2*time.Hour), promotion.PhaseQueued)
	now.Priority = promotion.PriorityNow
	early := attempt("default", "prod", f, day, promotion.PhaseQueued)
	runs := attempt("default", "prod", f, day.Add(-time.Minute), promotion.PhaseRunning)
	first := attempt("default", "prod", f, day.Add(-9*time.Hour), promotion.PhaseErrored)
	last := attempt("default", "prod", f, day.Add(-5*time.Hour), promotion.PhaseErrored)
	p := newPipe("default", nil, &promotion.PipelineState{Promotions: []*promotion.Promotion{late, nil, now, first, early, runs, last}})
	var got []*promotion.Promotion
	got = append(append(append(got, p.started("prod")), p.queued("prod")...), p.ended("prod")...)
	for i, want := range []*promotion.Promotion{runs, now, early, late, last, first} {
		if i >= len(got) || got[i] != want {
			t.Fatalf("place %d is not %s", i, want.Name)
		}
	}
	if p.stuck("prod") != nil {
		t.Error("the stage is stuck while something runs in it")
	}
	if p.started("dev") != nil || p.queued("dev") != nil || p.stuck("dev") != nil {
		t.Error("a stage without promotions has some")
	}
}

// Few promotions under way are unfolded, many are not.
func TestManyUnderWayAreFolded(t *testing.T) {
	s := base()
	for i, want := range []int{1, 2, 3, 0, 0} {
		name := string(rune('a' + i))
		s.Pipelines[name] = &promotion.PipelineState{Promotions: []*promotion.Promotion{attempt(name, "prod", webFreight(1), day, promotion.PhaseRunning)}}
		text := Draw(s, testLinks, day)
		if open, all := strings.Count(text, "<details open>"), strings.Count(text, "</details>"); open != want || all != i+1 {
			t.Errorf("%d under way: %d of %d unfolded, want %d", i+1, open, all, want)
		}
	}
}

// What waits too early lets eligible promotions pass, and each row says what it
// waits for now, not what it waited for when it was queued.
func TestTurns(t *testing.T) {
	s := base()
	early := attempt("default", "prod", webFreight(7), day, promotion.PhaseQueued)
	ready := attempt("default", "prod", webFreight(2), day.Add(time.Minute), promotion.PhaseQueued)
	ready.Message = "Queued: staging has not verified it"
	behind := attempt("default", "prod", webFreight(2), day.Add(2*time.Minute), promotion.PhaseQueued)
	plus(s, early, ready, behind)
	turns := func() string {
		v := newView(s, testLinks, day)
		var out []string
		for _, one := range v.pipes[0].queued("prod") {
			out = append(out, v.turn(v.pipes[0], one))
		}
		return strings.Join(out, "; ")
	}
	if got, want := turns(), "staging to verify it; nothing, it starts next; its turn"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	plus(s, attempt("default", "prod", webFreight(2), day, promotion.PhaseRunning))
	if got, want := turns(), "staging to verify it; its turn; its turn"; got != want {
		t.Errorf("while one runs: %s, want %s", got, want)
	}
	s.Local.Config = nil
	if got := turns(); !strings.HasPrefix(got, "the pipeline's config; ") {
		t.Errorf("without a config: %s", got)
	}
	s.Repo.Idle = "archived"
	if got := turns(); !strings.HasPrefix(got, "the repository, where nothing runs; ") {
		t.Errorf("archived: %s", got)
	}
}
