package plan

import (
	"maps"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// stateFor is a state of the plan's own: the steps keep things with freight and
// stages there. Offline nothing has happened yet in it, since what earlier promotions
// kept is known to the server alone.
func stateFor(r Request) *promotion.State {
	if r.State != nil {
		own := *r.State
		if own.Pipelines = maps.Clone(own.Pipelines); own.Pipelines == nil {
			own.Pipelines = map[string]*promotion.PipelineState{}
		}
		return &own
	}
	known := &promotion.PipelineState{}
	if r.Freight != nil {
		known.Freight = []*promotion.Freight{r.Freight}
	}
	return &promotion.State{
		Pipelines: map[string]*promotion.PipelineState{r.Pipeline.Name: known},
		Local:     promotion.Local{Config: map[string]*promotion.Pipeline{r.Pipeline.Name: r.Pipeline}},
	}
}
