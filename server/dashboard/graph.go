package dashboard

import (
	"html/template"

	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/flowchart"
)

// draw is a pipeline as a picture; empty where there is too much of it, and then the
// table says the same. grouped: some boxes stand for several stages.
func draw(p *ledger.PipelineSheet) (svg template.HTML, grouped bool) {
	c := flowchart.Chart{Title: "Pipeline " + p.Name, Edges: p.Graph.Edges}
	for _, n := range p.Graph.Nodes {
		class := tone(n.Mark)
		if n.Source {
			class = "source"
		}
		c.Nodes = append(c.Nodes, flowchart.Node{ID: n.ID, Lines: n.Lines, Rounded: n.Source, Class: class})
		grouped = grouped || n.Stages > 1
	}
	drawn, err := c.SVG()
	if err != nil {
		return "", false
	}
	return template.HTML(drawn), grouped // flowchart escapes all text
}
