package step

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

const (
	maxTreeNodes = 200_000 // bounds what aliases may stand for
	maxTreeDepth = 500
)

// expander copies nodes and writes out aliases and merge keys.
type expander struct{ left int }

func (e *expander) expand(n *yaml.Node, depth int) (*yaml.Node, error) {
	if e.left--; e.left < 0 || depth > maxTreeDepth {
		return nil, fmt.Errorf("it stands for more than %d values, or %d levels", maxTreeNodes, maxTreeDepth)
	}
	if n.Kind == yaml.AliasNode {
		return e.expand(n.Alias, depth+1)
	}
	out := *n
	out.Anchor, out.Content = "", nil
	if n.Kind == yaml.MappingNode {
		return e.mapping(&out, n, depth)
	}
	for _, c := range n.Content {
		child, err := e.expand(c, depth+1)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, child)
	}
	return &out, nil
}

// mapping copies keys, those of merge keys behind the mapping's own.
func (e *expander) mapping(out, n *yaml.Node, depth int) (*yaml.Node, error) {
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		value, err := e.expand(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if n.Content[i].ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		key, err := e.expand(n.Content[i], depth+1)
		if err != nil {
			return nil, err
		}
		if keyIndex(out, key) >= 0 {
			return nil, fmt.Errorf("the key %q stands in one mapping twice (line %d): remove one", key.Value, n.Content[i].Line)
		}
		out.Content = append(out.Content, key, value)
	}
	for _, m := range merged {
		if err := addMerged(out, m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addMerged adds the keys that a mapping, or a list of them, has and out lacks.
func addMerged(out, m *yaml.Node) error {
	switch m.Kind {
	case yaml.SequenceNode:
		for _, item := range m.Content {
			if item.Kind != yaml.MappingNode {
				return fmt.Errorf("the merge key << at line %d names what is no mapping", m.Line)
			}
			if err := addMerged(out, item); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(m.Content); i += 2 {
			if keyIndex(out, m.Content[i]) < 0 {
				out.Content = append(out.Content, m.Content[i], m.Content[i+1])
			}
		}
	default:
		return fmt.Errorf("the merge key << at line %d names what is no mapping", m.Line)
	}
	return nil
}

// keyIndex returns where the key stands in the mapping m, -1 if it does not.
func keyIndex(m, key *yaml.Node) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if sameTree(m.Content[i], key) {
			return i
		}
	}
	return -1
}
