package ledger

import (
	"maps"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// topological orders stages so that each comes after those it waits for, and
// otherwise as the file has them. A cycle, which config refuses, ends at the end.
func topological(stages []promotion.Stage) []string {
	pending := map[string]bool{}
	for _, s := range stages {
		pending[s.Name] = true
	}
	var order []string
	ready := func(s promotion.Stage) bool {
		return pending[s.Name] && !slices.ContainsFunc(s.After, func(a string) bool { return pending[a] })
	}
	for len(pending) > 0 {
		i := slices.IndexFunc(stages, ready)
		if i < 0 {
			i = slices.IndexFunc(stages, func(s promotion.Stage) bool { return pending[s.Name] })
		}
		order = append(order, stages[i].Name)
		delete(pending, stages[i].Name)
	}
	return order
}

// remembered are the stages that a pipeline without a config is known to have.
func remembered(state *promotion.PipelineState) []string {
	names := map[string]bool{}
	for name := range state.Stages {
		names[name] = true
	}
	for _, p := range state.Promotions {
		if p != nil && !p.Phase.Terminal() {
			names[p.Stage] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// StageOrder is the order in which a pipeline's stages are shown: each after those
// that it waits for.
func StageOrder(p *promotion.Pipeline) []string { return topological(p.Stages) }
