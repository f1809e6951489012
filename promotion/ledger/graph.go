package ledger

import (
	"fmt"
	"slices"
	"strings"
)

// maxNodes bounds a graph: more than that nobody reads, least of all on a phone.
const maxNodes = 40

// graph draws the pipeline for Mermaid: sources, stages, what comes after what,
// and what runs where. Stages that stand side by side are drawn as one where all
// together would be too many; "" means that they are too many even so. GitHub draws it:
// https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
func (v *view) graph(p *pipe) string {
	if !v.most.graph || p.config == nil {
		return ""
	}
	nodes := alone(p.stages)
	if len(nodes)+len(p.config.Sources) > maxNodes {
		nodes = sideBySide(p)
	}
	if len(nodes)+len(p.config.Sources) > maxNodes {
		return ""
	}
	var out strings.Builder
	out.WriteString("```mermaid\nflowchart LR\n")
	ids := map[string]string{}
	for i, node := range nodes {
		for _, stage := range node {
			ids[stage] = fmt.Sprintf("stage%d", i+1)
		}
	}
	sources := v.sourceNodes(p, &out)
	for _, node := range nodes {
		fmt.Fprintf(&out, "  %s[\"%s\"]\n", ids[node[0]], v.node(p, node))
	}
	for _, node := range nodes {
		for _, from := range before(p, node[0], sources, ids) {
			fmt.Fprintf(&out, "  %s --> %s\n", from, ids[node[0]])
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
	for i, source := range p.config.Sources {
		id := fmt.Sprintf("source%d", i+1)
		fmt.Fprintf(out, "  %s([\"%s\"])\n", id, label(p.sourceTitle(source.Name), v.most.name))
		ids = append(ids, id)
	}
	return ids
}

// sourceTitle is a source with its newest version.
func (p *pipe) sourceTitle(source string) string {
	if a, ok := p.state.Artifacts[source]; ok {
		return source + " " + a.Version()
	}
	return source
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
		if id := ids[after]; id != "" && !slices.Contains(from, id) {
			from = append(from, id)
		}
	}
	return from
}

// node is the label of the stages that share a node.
func (v *view) node(p *pipe, stages []string) string {
	return strings.Join(v.nodeLines(p, stages, label), "<br/>")
}

// nodeLines are the lines of a node; text writes what others wrote, cut to most
// characters.
func (v *view) nodeLines(p *pipe, stages []string, text func(words string, most int) string) []string {
	if len(stages) > 1 {
		return v.many(p, stages, text)
	}
	stage := stages[0]
	lines := []string{text(stage, v.most.name)}
	at, health := p.stage(stage).Current, v.health(p, stage)
	if at != nil {
		lines = append(lines, text(v.named(p, at.Freight), v.most.name)+" "+health)
	} else if health != dash {
		lines = append(lines, health)
	}
	one := p.started(stage)
	if one == nil {
		one = p.stuck(stage)
	}
	if one != nil && !(verifying(one) && at != nil && at.Promotion == one.Name) {
		lines = append(lines, text(v.named(p, one.Freight), v.most.name)+" "+phase(one))
	}
	if n := len(p.queued(stage)); n > 0 {
		lines = append(lines, fmt.Sprintf("%s %d queued", v.queueMark(p, stage), n))
	}
	return append(lines, v.marks(p, stage)...)
}

// queueMark is ✋ where the first of the queue waits for somebody.
func (v *view) queueMark(p *pipe, stage string) string {
	if needsPerson(p.queued(stage)[0]) {
		return markPerson
	}
	return markWaiting
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
