package ledger

import (
	"fmt"
	"strings"
)

// graph draws the pipeline for Mermaid: sources, stages, what comes after what,
// and what runs where. GitHub draws it: https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
func (v *view) graph(p *pipe) string {
	var out strings.Builder
	out.WriteString("```mermaid\nflowchart LR\n")
	ids := map[string]string{}
	for i, stage := range p.stages {
		ids[stage] = fmt.Sprintf("stage%d", i+1)
	}
	sources := v.sourceNodes(p, &out)
	for _, stage := range p.stages {
		fmt.Fprintf(&out, "  %s[\"%s\"]\n", ids[stage], v.node(p, stage))
	}
	for _, stage := range p.stages {
		for _, from := range before(p, stage, sources, ids) {
			fmt.Fprintf(&out, "  %s --> %s\n", from, ids[stage])
		}
	}
	out.WriteString("```")
	return out.String()
}

// sourceNodes writes the sources' nodes and returns their IDs.
func (v *view) sourceNodes(p *pipe, out *strings.Builder) []string {
	if p.config == nil {
		return nil
	}
	var ids []string
	shown, _ := first(p.config.Sources, v.most.stages)
	for i, source := range shown {
		text := source.Name
		if a, ok := p.state.Artifacts[source.Name]; ok {
			text += " " + a.Version()
		}
		id := fmt.Sprintf("source%d", i+1)
		fmt.Fprintf(out, "  %s([\"%s\"])\n", id, label(text, v.most.name))
		ids = append(ids, id)
	}
	return ids
}

// before are the nodes that lead to a stage.
func before(p *pipe, stage string, sources []string, ids map[string]string) []string {
	config := p.config.Stage(stage)
	switch {
	case config == nil:
		return nil
	case len(config.After) == 0:
		return sources
	}
	var from []string
	for _, after := range config.After {
		if id := ids[after]; id != "" {
			from = append(from, id)
		}
	}
	return from
}

// node is a stage's label: its name, what it holds, and what goes on.
func (v *view) node(p *pipe, stage string) string {
	lines := []string{label(stage, v.most.name)}
	if at := p.stage(stage).Current; at != nil {
		lines = append(lines, label(v.named(p, at.Freight), v.most.name)+" "+v.health(p, stage))
	}
	one := p.started(stage)
	if one == nil {
		one = p.stuck(stage)
	}
	if one != nil {
		lines = append(lines, label(v.named(p, one.Freight), v.most.name)+" "+phase(one))
	}
	if n := len(p.queued(stage)); n > 0 {
		lines = append(lines, fmt.Sprintf("%s %d queued", markWaiting, n))
	}
	return strings.Join(lines, "<br/>")
}

// label is text inside Mermaid's quotes. All punctuation that Mermaid, its
// Markdown or HTML could read becomes an entity code:
// https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters
func label(text string, most int) string {
	var out strings.Builder
	for _, r := range shorten(oneLine(text), most) {
		if r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(" .-+/", r)) {
			fmt.Fprintf(&out, "#%d;", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
