package yamledit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Add is Set that also makes what is missing of path: mappings on the way, and
// the key itself after the last one of its mapping; or, with the index after the
// last one, another item of a list. It goes into the first document unless
// another one has the key, or Only names one. v may be a scalar, Map or List.
func (f *File) Add(path Path, v *yaml.Node) error {
	at, err := f.find(path)
	switch {
	case err != nil:
		return err
	case at.whole(path) && v.Kind == yaml.ScalarNode:
		return f.Set(path, v)
	case at.whole(path) && !isNull(at.value):
		return fmt.Errorf("%s exists already (line %d)", path, at.value.Line)
	}
	rest := path[at.depth:]
	if at.value != nil { // a null stands where a mapping is needed
		tree, err := wrap(rest, v)
		if err != nil {
			return err
		}
		return f.fill(at, tree)
	}
	tree, err := wrap(rest[1:], v)
	switch {
	case err != nil:
		return err
	case at.parent == nil && len(f.docs) > 1:
		return fmt.Errorf("document %d is empty: no key can be added to it", at.doc)
	case at.parent == nil:
		return f.begin(Map(rest[0], tree))
	case at.parent.Kind == yaml.MappingNode:
		return f.insert(at, []*yaml.Node{String(rest[0]), tree})
	}
	if i, _ := index(rest[0]); i != len(at.parent.Content) {
		return f.missing(path, at)
	}
	return f.insert(at, []*yaml.Node{tree})
}

// wrap puts v under the keys of rest.
func wrap(rest Path, v *yaml.Node) (*yaml.Node, error) {
	for i := len(rest) - 1; i >= 0; i-- {
		if _, isIndex := index(rest[i]); isIndex {
			return nil, fmt.Errorf("%w %s: a list is not made, as %s might be a key as well; write the list into the file first", ErrMissing, rest, rest[i])
		}
		v = Map(rest[i], v)
	}
	return v, nil
}

// insert puts children, a key with its value or an item, after the last of the parent's.
func (f *File) insert(at found, children []*yaml.Node) error {
	var s splice
	var err error
	if at.inFlow {
		s, err = f.insertFlow(at.parent, children)
	} else {
		s, err = f.insertBlock(at.parent, children)
	}
	if err != nil {
		return err
	}
	at.parent.Content = append(at.parent.Content, children...)
	return f.apply(s)
}

func (f *File) insertFlow(parent *yaml.Node, children []*yaml.Node) (splice, error) {
	text := flowText(&yaml.Node{Kind: parent.Kind, Content: children})
	text = text[1 : len(text)-1]
	if len(parent.Content) == 0 {
		at, err := f.flowEnd(parent)
		return splice{span{at, at}, text}, err
	}
	end, err := f.end(parent.Content[len(parent.Content)-1])
	return splice{span{end, end}, ", " + text}, err
}

func (f *File) insertBlock(parent *yaml.Node, children []*yaml.Node) (splice, error) {
	end, err := f.endOfLine(parent)
	if err != nil {
		return splice{}, err
	}
	indent, err := f.indent(parent)
	if err != nil {
		return splice{}, err
	}
	text := f.layout().text(&yaml.Node{Kind: parent.Kind, Content: children}, indent)
	return splice{span{end, end}, f.eol + strings.Repeat(" ", indent) + text}, nil
}

// endOfLine returns the end of the line on which a block collection ends.
func (f *File) endOfLine(n *yaml.Node) (int, error) {
	end, err := f.end(n)
	if err != nil {
		return 0, err
	}
	if next := f.skip(end, blanks); next < len(f.src) && f.src[next] != '#' && breakAt(f.src, next) == 0 {
		return 0, f.refuse(n, "ends in the middle of a line")
	}
	return f.lineEnd(end), nil
}

// indent returns how many blanks stand before the keys or dashes of a block collection.
func (f *File) indent(n *yaml.Node) (int, error) {
	if n.Kind == yaml.MappingNode {
		return n.Content[0].Column - 1, nil
	}
	if at, ok := f.offset(n); ok && at < len(f.src) && f.src[at] == '-' {
		return n.Column - 1, nil
	}
	start := f.lines[n.Content[0].Line-1] // an anchor or tag stands on a line of its own
	if dash := f.skip(start, " "); dash < len(f.src) && f.src[dash] == '-' {
		return dash - start, nil
	}
	return 0, f.refuse(n, "is a list without a dash that can be found")
}

// fill puts tree in the place of a null.
func (f *File) fill(at found, tree *yaml.Node) error {
	n := at.value
	s, err := f.scalar(n)
	switch {
	case err != nil:
		return err
	case at.parent == nil && s.start == s.end && len(f.docs) == 1:
		return f.begin(tree)
	case at.parent == nil:
		return fmt.Errorf("the document is %q, not a mapping (line %d): no key can be added to it", n.Value, n.Line)
	}
	text := " " + flowText(tree)
	switch {
	case s.start < s.end:
		text = text[1:]
	case !at.inFlow:
		if text, err = f.below(at, tree); err != nil {
			return err
		}
		end := f.lineEnd(s.end)
		s = span{end, end}
	}
	*n = yaml.Node{Kind: tree.Kind, Tag: tree.Tag, Content: tree.Content, Anchor: n.Anchor, Line: n.Line, Column: n.Column}
	return f.apply(splice{s, text})
}

// below lays tree out under the key or dash of the null that was found.
func (f *File) below(at found, tree *yaml.Node) (string, error) {
	indent, err := f.indent(at.parent)
	if err != nil {
		return "", err
	}
	lay := f.layout()
	switch {
	case at.parent.Kind == yaml.SequenceNode:
		indent += 2
	case tree.Kind == yaml.SequenceNode:
		indent += lay.dash
	default:
		indent += lay.step
	}
	return f.eol + strings.Repeat(" ", indent) + lay.text(tree, indent), nil
}

// begin gives an empty document its first key.
func (f *File) begin(root *yaml.Node) error {
	text := f.layout().text(root, 0) + f.eol
	if n := len(f.src); n > f.lines[0] && f.src[n-1] != '\n' && f.src[n-1] != '\r' {
		text = f.eol + text
	}
	if len(f.docs) == 0 {
		f.docs = []*yaml.Node{{Kind: yaml.DocumentNode}}
	}
	f.docs[0].Content = []*yaml.Node{root}
	return f.apply(splice{span{len(f.src), len(f.src)}, text})
}
