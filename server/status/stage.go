package status

import (
	"maps"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// The words for a stage's health.
const (
	healthy    = "healthy"
	verifying  = "verifying"
	unverified = "unverified"
	unhealthy  = "unhealthy"
)

func stagesOf(s *promotion.State, pipeline string, ps *promotion.PipelineState) []Stage {
	var out []Stage
	for _, name := range stageNames(s.Local.Config[pipeline], ps) {
		out = append(out, stageOf(s, pipeline, name, ps))
	}
	return out
}

// stageNames are those of the file; without one those of the record that hold
// something, or that live promotions go to.
func stageNames(config *promotion.Pipeline, ps *promotion.PipelineState) []string {
	if config != nil {
		return ledger.StageOrder(config)
	}
	known := map[string]bool{}
	for name := range ps.Stages {
		known[name] = true
	}
	for _, p := range ps.Promotions {
		if !p.Phase.Terminal() {
			known[p.Stage] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}

func stageOf(s *promotion.State, pipeline, name string, ps *promotion.PipelineState) Stage {
	held := ps.Stages[name]
	if held == nil {
		held = &promotion.StageState{}
	}
	out := Stage{Pipeline: pipeline, Name: name, Frozen: reason(held.Freeze), Paused: reason(held.Paused), Queue: []string{}}
	if out.Frozen == nil {
		out.Frozen = reason(s.Freeze)
	}
	if at := held.Current; at != nil {
		alias := promotion.Alias(at.Freight)
		out.Freight, out.Version, out.Since = &alias, titleOf(ps, at.Freight), moment(at.At)
	}
	queue := promotion.NewQueue()
	var started *promotion.Promotion
	for _, p := range ps.Promotions {
		switch {
		case p.Stage != name:
		case p.Phase.Started():
			started, out.Running = p, &p.Name
		default:
			queue.Push(p) // ended ones are left alone
		}
	}
	for _, p := range queue.All() {
		out.Queue = append(out.Queue, p.Name)
	}
	out.Health = health(held, started)
	return out
}

func health(held *promotion.StageState, started *promotion.Promotion) string {
	switch {
	case held.Health.Bad:
		return unhealthy
	case held.Current == nil:
		return ""
	case !held.Verified[held.Current.Freight].IsZero():
		return healthy
	case started != nil && started.Verify != nil:
		return verifying
	}
	return unverified
}

// reason says why a mark was set, or who set it: never nothing.
func reason(m *promotion.Mark) *string {
	if m == nil {
		return nil
	}
	text := m.Reason
	switch {
	case text != "":
	case m.By != "":
		text = "by " + m.By
	default:
		text = "no reason given"
	}
	return &text
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
