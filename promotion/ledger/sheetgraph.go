package ledger

import "fmt"

// Graph is a pipeline as boxes and arrows between them. Texts are plain.
type Graph struct {
	Nodes []GraphNode
	Edges [][2]string // from, to, by ID
}

// GraphNode is a source, a stage, or several stages that stand side by side.
type GraphNode struct {
	ID     string
	Lines  []string
	Source bool
	Mark   string // how the stage stands; empty: nothing is to be told
	Stages int    // 0: a source
}

// manyNodes is how many boxes a page can show and still be read: beyond it, stages
// that stand side by side share one, as in the issue.
const manyNodes = 30

// graphOf is the graph of a pipeline; without its config nobody knows what comes
// after what, and it is empty.
func (v *view) graphOf(p *pipe) Graph {
	if p.config == nil {
		return Graph{}
	}
	nodes := alone(p.stages)
	if len(nodes)+len(p.config.Sources) > manyNodes {
		nodes = sideBySide(p)
	}
	var out Graph
	var sources []string
	for i, source := range p.config.Sources {
		id := fmt.Sprintf("source%d", i+1)
		sources = append(sources, id)
		out.Nodes = append(out.Nodes, GraphNode{ID: id, Lines: []string{asIs(p.sourceTitle(source.Name), v.most.name)}, Source: true})
	}
	ids := map[string]string{}
	for i, node := range nodes {
		for _, stage := range node {
			ids[stage] = fmt.Sprintf("stage%d", i+1)
		}
	}
	for _, node := range nodes {
		id := ids[node[0]]
		out.Nodes = append(out.Nodes, GraphNode{ID: id, Lines: v.nodeLines(p, node, asIs), Mark: v.worst(p, node), Stages: len(node)})
		for _, from := range before(p, node[0], sources, ids) {
			out.Edges = append(out.Edges, [2]string{from, id})
		}
	}
	return out
}

// worst is the most urgent mark of stages.
func (v *view) worst(p *pipe, stages []string) string {
	has := map[string]bool{}
	for _, stage := range stages {
		has[v.stageMark(p, stage)] = true
	}
	for _, each := range tally {
		if has[each.mark] {
			return each.mark
		}
	}
	return ""
}

// asIs is text for a drawing that escapes it by itself.
func asIs(text string, most int) string { return shorten(oneLine(text), most) }
