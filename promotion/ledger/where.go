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
	if told := notice(p); told != "" {
		sections = append(sections, told)
	}
	if len(p.stages) == 0 {
		return append(sections, "No stage is known.")
	}
	if graph := v.graph(p); graph != "" {
		sections = append(sections, graph)
	}
	return append(sections, strings.TrimRight(v.stages(p), "\n"))
}

// notice says that nothing new starts in a pipeline, and why; empty: it may.
func notice(p *pipe) string {
	switch {
	case p.state.Gone:
		return "The pipeline's config file was removed. Nothing new starts; this is what it left."
	case len(p.state.Broken) > 0:
		return markBad + " broken: the config cannot be read, so this is what was known before. Nothing new starts; what runs goes on."
	}
	return ""
}

// stages is the pipeline as a table.
func (v *view) stages(p *pipe) string {
	shown, left := v.tableRows(p)
	var rows [][]string
	for _, stages := range shown {
		if len(stages) == 1 {
			rows = append(rows, v.stageRow(p, stages[0]))
		} else {
			rows = append(rows, v.quietRow(p, stages))
		}
	}
	return table([]string{"stage", "runs", "since", "health", "now", "queue", "next"}, rows) + leftOut(p, left)
}

func (v *view) stageRow(p *pipe, stage string) []string {
	runs, since := dash, dash
	if at := p.stage(stage).Current; at != nil {
		runs, since = v.runs(p, at), moment(at.At, v.now)
	}
	return []string{stageName("", stage), runs, since, v.healthCell(p, stage), v.busy(p, stage), v.waiting(p, stage), v.next(p, stage)}
}

// runs is what a stage holds, linked to the commit that brought it.
func (v *view) runs(p *pipe, at *promotion.Landing) string {
	page := v.links.Commit(v.repo(), at.Commit)
	if page == "" {
		page = freightPage(v.links, p.freight(at.Freight))
	}
	name := Harmless(v.named(p, at.Freight))
	if len(name) <= 24 {
		name = strings.ReplaceAll(name, " ", unbroken)
	}
	return md(name, page)
}

// healthCell is health with the mark beside its word, however narrow the column.
func (v *view) healthCell(p *pipe, stage string) string {
	return strings.Replace(v.health(p, stage), " ", unbroken, 1)
}

// health is how what the stage holds fares.
func (v *view) health(p *pipe, stage string) string {
	s := p.stage(stage)
	verified := false
	if s.Current != nil {
		_, verified = s.Verified[s.Current.Freight]
	}
	one := p.started(stage)
	switch {
	case s.Health.Bad:
		return markBad + " unhealthy"
	case s.Current == nil:
		return dash
	case verified:
		return markDone + " verified"
	case one != nil && verifying(one):
		return phase(one)
	}
	return markWaiting + " not verified"
}
