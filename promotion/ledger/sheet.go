package ledger

import (
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Sheet is what the tracking issue tells, taken apart, for pages that show the same
// elsewhere. Its texts are Markdown of one line, as harmless as the issue's: what
// others wrote is no markup in them, and links lead to GitHub alone.
type Sheet struct {
	Idle      string   // why nothing runs in the repository; empty: it may
	Needs     []string // what a person has to do, the most urgent first
	Held      []string // freezes, and freight that is blocked
	Pipelines []PipelineSheet
}

// PipelineSheet is one pipeline, the default one first.
type PipelineSheet struct {
	Name     string
	Config   string // its file, linked; empty: it cannot be read
	Notice   string // the file is gone or broken; empty: neither
	Graph    Graph
	Stages   []StageSheet // each after those that it waits for
	UnderWay []PromotionSheet
	Queue    []PromotionSheet // stage by stage, the next one first
	Ended    []PromotionSheet // the last one first
}

// StageSheet is a row of the table of stages.
type StageSheet struct {
	Name                             string
	Mark                             string // how it stands in one mark; empty: nothing is to be told
	Runs, Since, Health, Queue, Next string
	Now                              []string // what goes on, a line each; empty: nothing does
}

// sheetLimits are wider than those of an issue: a page has room.
var sheetLimits = limits{needs: 200, pipes: 1000, stages: 1000, rows: 200, steps: 200, text: 1000, name: 80, graph: true}

// SheetOf takes a state apart. It does not change it. now says which year it is.
func SheetOf(s *promotion.State, links Links, now time.Time) *Sheet {
	v := newView(s, links, now)
	v.most = sheetLimits
	out := &Sheet{Idle: v.idle(), Needs: v.allNeeds(), Held: slices.Concat(v.freezes(), v.blocks())}
	for _, p := range v.pipes {
		out.Pipelines = append(out.Pipelines, v.pipelineSheet(p))
	}
	return out
}

// Needs is Sheet.Needs alone.
func Needs(s *promotion.State, links Links, now time.Time) []string {
	v := newView(s, links, now)
	v.most = sheetLimits
	return v.allNeeds()
}

// allNeeds are the entries of "Needs you", without the boxes to tick.
func (v *view) allNeeds() []string {
	items, _ := first(v.needed(), v.most.needs)
	out := make([]string, len(items))
	for i, item := range items {
		out[i], _, _ = strings.Cut(item, "\n") // a box stands on a line of its own
	}
	return out
}

func (v *view) pipelineSheet(p *pipe) PipelineSheet {
	out := PipelineSheet{Name: p.name, Notice: notice(p), Graph: v.graphOf(p)}
	if p.config != nil && p.config.Path != "" {
		out.Config = v.configFile(p)
	}
	for _, stage := range p.stages {
		out.Stages = append(out.Stages, v.stageSheet(p, stage))
	}
	started, _ := first(p.promotions(func(one *promotion.Promotion) bool { return one.Phase.Started() }), v.most.rows)
	for _, one := range started {
		out.UnderWay = append(out.UnderWay, v.promotionSheet(p, one))
	}
	for _, stage := range queuedStages(p) {
		for _, one := range p.queued(stage) {
			if len(out.Queue) < v.most.rows {
				out.Queue = append(out.Queue, v.promotionSheet(p, one))
			}
		}
	}
	ended := p.promotions(func(one *promotion.Promotion) bool { return one.Phase.Terminal() })
	slices.SortFunc(ended, lastFirst)
	for _, one := range ended[:min(len(ended), v.most.rows)] {
		out.Ended = append(out.Ended, v.promotionSheet(p, one))
	}
	return out
}

func (v *view) stageSheet(p *pipe, stage string) StageSheet {
	row := v.stageRow(p, stage)
	return StageSheet{
		Name: asIs(stage, 90), Mark: v.stageMark(p, stage), Runs: row[1], Since: row[2], Health: row[3],
		Now: v.goesOn(p, stage), Queue: row[5], Next: row[6],
	}
}
