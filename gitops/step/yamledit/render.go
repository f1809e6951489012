package yamledit

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Map is a mapping of one key to v; Pair adds more.
func Map(key string, v *yaml.Node) *yaml.Node {
	return Pair(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, key, v)
}

// Pair adds a key and its value to the mapping m, and returns m.
func Pair(m *yaml.Node, key string, v *yaml.Node) *yaml.Node {
	m.Content = append(m.Content, String(key), v)
	return m
}

// List is a list of items.
func List(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

// layout is how a file indents: new lines follow it.
type layout struct {
	step int    // a mapping under its key
	dash int    // a list under its key; 0: the dash stands below the key
	eol  string // line end
}

// layout takes the habits of the file: what its first nested mapping and its
// first list do. Without any it is what most manifests do.
func (f *File) layout() layout {
	lay := layout{step: 2, eol: f.eol}
	var steps, dashes bool
	var look func(n *yaml.Node)
	look = func(n *yaml.Node) {
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && c.Style&yaml.FlowStyle == 0 && len(c.Content) > 0 && c.Line > n.Content[i-1].Line && c.Anchor == "" {
				switch by := c.Column - n.Content[i-1].Column; {
				case c.Kind == yaml.MappingNode && !steps && by > 0:
					lay.step, steps = by, true
				case c.Kind == yaml.SequenceNode && !dashes && by >= 0:
					lay.dash, dashes = by, true
				}
			}
			look(c)
		}
	}
	for _, doc := range f.docs {
		look(doc)
	}
	return lay
}

// text writes a collection in block style. Its first line is for a place that is
// indented already.
func (lay layout) text(n *yaml.Node, indent int) string {
	if len(n.Content) == 0 {
		return flowText(n)
	}
	var lines []string
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			lines = append(lines, "- "+lay.item(item, indent+2))
		}
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		lines = append(lines, Text(n.Content[i])+":"+lay.value(n.Content[i+1], indent))
	}
	return strings.Join(lines, lay.eol+strings.Repeat(" ", indent))
}

// item writes what stands behind a dash.
func (lay layout) item(n *yaml.Node, indent int) string {
	if n.Kind == yaml.ScalarNode {
		return Text(n)
	}
	return lay.text(n, indent)
}

// value writes what stands behind the colon of a key with that indentation.
func (lay layout) value(n *yaml.Node, indent int) string {
	switch {
	case n.Kind == yaml.ScalarNode || len(n.Content) == 0:
		return " " + lay.item(n, indent)
	case n.Kind == yaml.SequenceNode:
		indent += lay.dash
	default:
		indent += lay.step
	}
	return lay.eol + strings.Repeat(" ", indent) + lay.text(n, indent)
}

// flowText writes n on one line, for a place inside [] or {}.
func flowText(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, flowText(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, flowText(n.Content[i])+": "+flowText(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return scalarText(n, 0, true)
}
