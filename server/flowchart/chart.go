package flowchart

import (
	"errors"
	"fmt"
)

// Bounds on what is drawn: beyond them a reader sees more in words.
const maxNodes, maxEdges = 200, 600

// ErrUnknown says that a source is outside the subset, or a chart outside the bounds.
var ErrUnknown = errors.New("not a flowchart of the known subset")

// Chart is what is drawn, from left to right.
type Chart struct {
	// Title names the picture for those who do not see it, and the description tells
	// what is in it. Empty: one label does both.
	Title string
	Nodes []Node
	Edges [][2]string // arrows from, to, by the IDs of nodes, each once
}

// Node is a box.
type Node struct {
	ID      string
	Lines   []string // at least one
	Rounded bool
	Class   string // more classes for the style sheet; empty: none
}

// SVG draws the chart. ErrUnknown: it is empty or too large, an arrow leads nowhere, or
// the arrows go round in a circle.
func (c Chart) SVG() (string, error) {
	if len(c.Nodes) == 0 || len(c.Nodes) > maxNodes || len(c.Edges) > maxEdges {
		return "", fmt.Errorf("%w: %d nodes and %d edges", ErrUnknown, len(c.Nodes), len(c.Edges))
	}
	drawn, err := c.checked()
	if err != nil {
		return "", err
	}
	l, err := arrange(&drawn)
	if err != nil {
		return "", err
	}
	return l.draw(&drawn), nil
}

// checked is the chart with lines that can be drawn.
func (c Chart) checked() (Chart, error) {
	out, known := c, map[string]bool{}
	out.Nodes = nil
	for _, n := range c.Nodes {
		if n.ID == "" || known[n.ID] || len(n.Lines) == 0 {
			return out, fmt.Errorf("%w: the node %q is empty or there twice", ErrUnknown, n.ID)
		}
		known[n.ID] = true
		lines := make([]string, len(n.Lines))
		for i, line := range n.Lines {
			lines[i] = clean(line)
		}
		n.Lines = lines
		out.Nodes = append(out.Nodes, n)
	}
	for _, e := range c.Edges {
		if !known[e[0]] || !known[e[1]] {
			return out, fmt.Errorf("%w: an arrow from %q to %q", ErrUnknown, e[0], e[1])
		}
	}
	return out, nil
}
