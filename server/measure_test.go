package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/metric"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// one is a state with one stage, and the promotions that were made there.
func one(stage promotion.StageState, list ...*promotion.Promotion) *promotion.State {
	return &promotion.State{
		Repo: promotion.Repo{ID: 1, Owner: "acme", Name: "gitops"},
		Pipelines: map[string]*promotion.PipelineState{"default": {
			Freight: []*promotion.Freight{{ID: "f", CreatedAt: start.Add(-time.Hour)}}, Stages: map[string]*promotion.StageState{"dev": &stage}, Promotions: list,
		}},
	}
}

func a(phase promotion.Phase, change ...func(*promotion.Promotion)) *promotion.Promotion {
	p := &promotion.Promotion{Name: "dev.1.f", Pipeline: "default", Stage: "dev", Freight: "f", Phase: phase, CreatedAt: start}
	for _, c := range change {
		c(p)
	}
	return p
}

func landed(p *promotion.Promotion)   { p.Landed, p.LandedAt = "c0ffee", start.Add(2*time.Minute) }
func empty(p *promotion.Promotion)    { p.LandedAt = start.Add(2 * time.Minute) }
func rollback(p *promotion.Promotion) { p.Priority = promotion.PriorityRollback }

// TestMoved counts what happened between two states.
func TestMoved(t *testing.T) {
	holds := promotion.StageState{Current: &promotion.Landing{Promotion: "dev.1.f"}}
	undone := promotion.StageState{Current: &promotion.Landing{Promotion: "dev.1.f", Undone: true}, Health: promotion.Health{Bad: true, Since: start}}
	const m = "stagecoach_"
	for name, c := range map[string]struct {
		before, after *promotion.State
		want          []string
	}{
		"the first look": {nil, one(holds, a(promotion.PhaseSucceeded, landed)), nil},
		"nothing new":    {one(holds, a(promotion.PhaseSucceeded, landed)), one(holds, a(promotion.PhaseSucceeded, landed)), nil},
		"landed, verifies": {
			one(holds, a(promotion.PhaseRunning)), one(holds, a(promotion.PhaseWaiting, landed)),
			[]string{m + "landings_total 1", m + "lead_time_seconds_sum 3720", m + "promotion_duration_seconds_sum 120"},
		},
		"landed and done at once": {
			one(holds), one(holds, a(promotion.PhaseSucceeded, landed)),
			[]string{m + "landings_total 1", m + "lead_time_seconds_sum 3720", m + "promotion_duration_seconds_sum 120", m + "promotions_ended_total succeeded 1"},
		},
		"verification says no": {
			one(holds, a(promotion.PhaseWaiting, landed)), one(holds, a(promotion.PhaseFailed, landed)),
			[]string{m + "change_failures_total 1", m + "promotions_ended_total failed 1"},
		},
		"it says no, and it is rolled back by itself": {
			one(holds, a(promotion.PhaseWaiting, landed)), one(undone, a(promotion.PhaseFailed, landed)),
			[]string{m + "change_failures_total 1", m + "promotions_ended_total failed 1"},
		},
		"somebody rolls back": {one(holds, a(promotion.PhaseSucceeded, landed)), one(undone, a(promotion.PhaseSucceeded, landed)), []string{m + "change_failures_total 1"}},
		"that was counted":    {one(undone), one(undone), nil},
		"healed":              {one(undone), one(holds), []string{m + "restore_time_seconds_sum 600"}},
		"closed unmerged":     {one(holds, a(promotion.PhaseWaiting)), one(holds, a(promotion.PhaseFailed)), []string{m + "promotions_ended_total failed 1"}},
		"nothing to change":   {one(holds, a(promotion.PhaseRunning)), one(holds, a(promotion.PhaseSucceeded, empty)), []string{m + "promotions_ended_total succeeded 1"}},
		"a way back": {
			one(holds, a(promotion.PhaseRunning, rollback)), one(holds, a(promotion.PhaseSucceeded, rollback, landed)),
			[]string{m + "promotion_duration_seconds_sum 120", m + "promotions_ended_total succeeded 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := newMeasures(true)
			all.now = func() time.Time { return start.Add(10 * time.Minute) }
			all.moved(c.before, c.after)
			if diff := cmp.Diff(c.want, counts(t, all)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// counts are the samples that are not 0, without the labels of the one stage, buckets and numbers of observations apart.
func counts(t *testing.T, m *measures) (out []string) {
	t.Helper()
	var b strings.Builder
	if err := metric.Write(&b, m.ended, m.landings, m.changeFailures, m.duration, m.leadTime, m.restoreTime); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "#") || strings.Contains(line, "_bucket") || strings.Contains(line, "_seconds_count") {
			continue
		}
		if !strings.Contains(line, `{repository="acme/gitops",pipeline="default",stage="dev"`) {
			t.Errorf("whose is %s", line)
		}
		line = strings.NewReplacer(`{repository="acme/gitops",pipeline="default",stage="dev"`, "", `,outcome="`, " ", `"}`, "", "}", "").Replace(line)
		out = append(out, strings.TrimSpace(line))
	}
	slices.Sort(out)
	return out
}

// shelf of states that tells of changes, and counts how often it is read.
type fakeStates struct {
	of    map[int64]*promotion.State
	tell  func(int64)
	reads int
	fail  error
}

func (f *fakeStates) Changes(_ context.Context, tell func(int64)) (func(), error) {
	f.tell = tell
	for id := range maps.Keys(f.of) {
		tell(id)
	}
	return func() {}, nil
}

func (f *fakeStates) Load(_ context.Context, repo int64) (*promotion.State, uint64, error) {
	f.reads++
	return f.of[repo], 1, f.fail
}

// TestOverview reads only what changed, and forgets what is gone; what could not be read is read the next time.
func TestOverview(t *testing.T) {
	from := &fakeStates{of: map[int64]*promotion.State{
		1: one(promotion.StageState{}, a(promotion.PhaseQueued), a(promotion.PhaseQueued), a(promotion.PhaseWaiting), a(promotion.PhaseSucceeded)),
		2: one(promotion.StageState{Health: promotion.Health{Bad: true}, Current: &promotion.Landing{At: start}}, a(promotion.PhaseRunning)),
	}}
	o := newOverview()
	look := func(reads int, want ...string) {
		t.Helper()
		before := from.reads
		sums, err := o.look(t.Context(), from)
		var got []string
		for _, s := range sums {
			got = append(got, fmt.Sprint(s.queued, s.running, s.waiting, s.healthy, s.since.Equal(start)))
		}
		if slices.Sort(got); !slices.Equal(got, want) || from.reads-before != reads || (err != nil) != (from.fail != nil) {
			t.Errorf("%d reads gave %q, %v; want %q", from.reads-before, got, err, want)
		}
	}
	look(2, "0 1 0 false true", "2 0 1 true false")
	look(0, "0 1 0 false true", "2 0 1 true false")
	from.of[1] = nil
	from.tell(1)
	from.fail = errors.New("not now")
	look(1)
	from.fail = nil
	look(1, "0 1 0 false true")
	o.close()
	o.close()
}

// Without stages the labels are left out, and numbers are summed.
func TestWithoutStages(t *testing.T) {
	m := newMeasures(false)
	m.moved(one(promotion.StageState{}), one(promotion.StageState{}, a(promotion.PhaseFailed)))
	var b strings.Builder
	_ = metric.Write(&b, m.ended)
	if !strings.Contains(b.String(), "stagecoach_promotions_ended_total{outcome=\"failed\"} 1\n") {
		t.Error(b.String())
	}
}
