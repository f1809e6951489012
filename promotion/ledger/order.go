package ledger

import (
	"maps"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// topological orders stages so that each comes after those it waits for, and
// otherwise as the file has them. A cycle, which config refuses, ends at the end.
func topological(stages []promotion.Stage) []string {
	var order []string
	for _, s := range promotion.InOrder(stages) {
		order = append(order, s.Name)
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
