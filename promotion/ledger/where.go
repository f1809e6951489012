package ledger

import (
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// where shows what runs in which stage, as a graph and as a table.
func (v *view) where() string {
	shown, hidden := first(v.pipes, v.most.pipes)
	sections := []string{"### Where everything is"}
	for _, p := range shown {
		if len(v.pipes) > 1 {
			sections = append(sections, "#### "+stageName("", p.name))
		}
		sections = append(sections, v.pipeline(p)...)
	}
	if len(shown) == 0 {
		sections = append(sections, "There is no pipeline here yet.")
	}
	if hidden > 0 {
		sections = append(sections, more(hidden)+" pipelines.")
	}
	return strings.Join(sections, "\n\n")
}

func (v *view) pipeline(p *pipe) []string {
	var sections []string
	switch {
	case p.state.Gone:
		sections = append(sections, "The pipeline's config file was removed. Nothing new starts; this is what it left.")
	case len(p.state.Broken) > 0:
		sections = append(sections, markBad+" broken: the config cannot be read, so this is what was known before. Nothing new starts; what runs goes on.")
	}
	if len(p.stages) == 0 {
		return append(sections, "No stage is known.")
	}
	if v.most.graph && p.config != nil && len(p.stages) <= v.most.stages {
		sections = append(sections, v.graph(p))
	}
	return append(sections, strings.TrimRight(v.stages(p), "\n"))
}

// stages is the pipeline as a table.
func (v *view) stages(p *pipe) string {
	shown, hidden := first(p.stages, v.most.stages)
	var rows [][]string
	for _, stage := range shown {
		runs, since, health := dash, dash, dash
		if at := p.stage(stage).Current; at != nil {
			runs, since, health = v.runs(p, at), when(at.At, v.now), v.health(p, stage)
		}
		rows = append(rows, []string{stageName("", stage), runs, since, health, v.busy(p, stage), v.waiting(p, stage), v.next(p, stage)})
	}
	out := table([]string{"stage", "runs", "since", "health", "now", "queue", "next"}, rows)
	if hidden > 0 {
		out += "\n" + more(hidden) + " stages.\n"
	}
	return out
}

// runs is what a stage holds, linked to the commit that brought it.
func (v *view) runs(p *pipe, at *promotion.Landing) string {
	page := v.links.Commit(v.repo(), at.Commit)
	if page == "" {
		page = freightPage(v.links, p.freight(at.Freight))
	}
	return md(Harmless(v.named(p, at.Freight)), page)
}

func (v *view) health(p *pipe, stage string) string {
	s := p.stage(stage)
	if _, ok := s.Verified[s.Current.Freight]; ok {
		return markDone + " verified"
	}
	return markWaiting + " not verified"
}
