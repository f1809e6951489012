package yamledit

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ErrMissing means that the text has no such key.
var ErrMissing = errors.New("no such key")

// found is the place that a path leads to, as far as it exists.
type found struct {
	doc    int
	parent *yaml.Node // the last collection on the way; nil in an empty document
	key    *yaml.Node // of the value in parent; nil in a list
	value  *yaml.Node // nil: path[:depth] leads to parent; with depth short of the path: a null in the way
	depth  int        // how many parts of the path exist
	inFlow bool       // parent is written with [] or {}, or stands inside such
	merged *yaml.Node // the merge key of parent that brings the missing part, if one does
}

// whole reports whether all of path exists.
func (at found) whole(path Path) bool { return at.value != nil && at.depth == len(path) }

// Find returns the node at path, in the first document that has it. The error
// is ErrMissing, or says what stands in the way. The node must not be changed.
func (f *File) Find(path Path) (*yaml.Node, error) {
	at, err := f.find(path)
	if err == nil && !at.whole(path) {
		err = f.missing(path, at)
	}
	if err != nil {
		return nil, err
	}
	return at.value, nil
}

// find looks in every document, or in that of Only, and returns the first full
// match. Without one it returns how far the first document leads, for that is
// where Kargo looks and where Add puts what is missing.
func (f *File) find(path Path) (found, error) {
	if err := f.fresh(); err != nil {
		return found{}, err
	}
	var first found
	var firstErr error
	from, to := f.scope()
	for i := from; i < to; i++ {
		at, err := descend(f.docs[i], path)
		at.doc = i
		if err == nil && at.whole(path) {
			return at, nil
		}
		if i == from {
			first, firstErr = at, err
		}
	}
	return first, firstErr
}

func descend(doc *yaml.Node, path Path) (found, error) {
	at := found{}
	if len(doc.Content) == 0 {
		return at, nil
	}
	at.value = doc.Content[0]
	for i, part := range path {
		node := at.value
		if node.Kind != yaml.MappingNode && node.Kind != yaml.SequenceNode {
			if isNull(node) { // what lacks here may be made in its place
				return at, nil
			}
			return at, notCollection(path[:i], part, node)
		}
		at.parent, at.inFlow = node, at.inFlow || node.Style&yaml.FlowStyle != 0
		key, value, err := child(node, path[:i], part)
		if err != nil {
			return at, err
		}
		at.key, at.value = key, value
		if value == nil {
			at.merged = mergeOf(node, part)
			return at, nil
		}
		at.depth++
	}
	return at, nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func notCollection(at Path, part string, n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return behindAlias(at, n)
	}
	return fmt.Errorf("%s is a single value (line %d), so it has no %q", name(at), n.Line, part)
}

func behindAlias(at Path, n *yaml.Node) error {
	where := ""
	if n.Alias != nil {
		where = fmt.Sprintf(" (line %d)", n.Alias.Line)
	}
	return fmt.Errorf("%s (line %d) is the alias *%s: a change there would change every place that uses the anchor &%s%s; set the value at the anchor, or write it out in place of the alias",
		name(at), n.Line, n.Value, n.Value, where)
}

// child returns the key and value of part in node; nil when it is missing.
func child(node *yaml.Node, at Path, part string) (key, value *yaml.Node, err error) {
	if node.Kind == yaml.SequenceNode {
		i, ok := index(part)
		if !ok {
			return nil, nil, fmt.Errorf("%s is a list of %d (line %d): write an index in place of %q, 0 is the first", name(at), len(node.Content), node.Line, part)
		}
		if i >= len(node.Content) {
			return nil, nil, nil
		}
		return nil, node.Content[i], nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if k := node.Content[i]; k.Kind == yaml.ScalarNode && k.Value == part && k.ShortTag() != "!!merge" {
			if key != nil {
				return nil, nil, fmt.Errorf("%s has the key %q twice (lines %d and %d): remove one", name(at), part, key.Line, k.Line)
			}
			key, value = k, node.Content[i+1]
		}
	}
	return key, value, nil
}

// mergeOf returns the merge key of the mapping whose values hold part.
func mergeOf(node *yaml.Node, part string) *yaml.Node {
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		if k := node.Content[i]; k.ShortTag() == "!!merge" && merges(node.Content[i+1], part) {
			return k
		}
	}
	return nil
}

func merges(n *yaml.Node, part string) bool {
	switch {
	case n.Kind == yaml.AliasNode && n.Alias != nil && n.Alias.Kind != yaml.SequenceNode:
		n = n.Alias
	case n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			if c.Kind != yaml.SequenceNode && merges(c, part) {
				return true
			}
		}
		return false
	}
	_, value, _ := child(n, nil, part)
	return n.Kind == yaml.MappingNode && value != nil
}

// name says a path in a sentence.
func name(p Path) string {
	if len(p) == 0 {
		return "the document"
	}
	return p.String()
}

// missing is the error for a path of which not all exists.
func (f *File) missing(path Path, at found) error {
	if at.merged != nil {
		return fmt.Errorf("%w %s: its value comes from the merge key << at line %d; set it at the anchor, or use create to override it here", ErrMissing, path, at.merged.Line)
	}
	if at.parent != nil && at.parent.Kind == yaml.SequenceNode {
		return fmt.Errorf("%w %s: %s has %d items, and 0 is the first", ErrMissing, path, name(path[:at.depth]), len(at.parent.Content))
	}
	if near := f.nearest(path); near != "" {
		return fmt.Errorf("%w %s (nearest: %s)", ErrMissing, path, near)
	}
	if keys := keysOf(at.parent); keys != "" {
		return fmt.Errorf("%w %s: %s has %s", ErrMissing, path, name(path[:at.depth]), keys)
	}
	return fmt.Errorf("%w %s", ErrMissing, path)
}

// keysOf lists a mapping's keys for a sentence, the first eight of them.
func keysOf(n *yaml.Node) string {
	var keys []string
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if len(keys) == 8 {
			return strings.Join(keys, ", ") + ", …"
		}
		keys = append(keys, n.Content[i].Value)
	}
	return strings.Join(keys, ", ")
}
