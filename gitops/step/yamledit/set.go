package yamledit

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Set puts v in the place of the single value at path, in the first document
// that has it. An anchor stays; quotes stay if v is a string. A value that is v
// already is left alone. The error is ErrMissing, or says what stands in the way.
func (f *File) Set(path Path, v *yaml.Node) error {
	at, err := f.find(path)
	if err != nil {
		return err
	}
	if !at.whole(path) {
		return f.missing(path, at)
	}
	if err := settable(path, at.value); err != nil {
		return err
	}
	if same(at.value, v, at.inFlow) {
		return nil
	}
	return f.replace(at, v)
}

// replace writes v over the scalar that was found.
func (f *File) replace(at found, v *yaml.Node) error {
	n := at.value
	if n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != v.ShortTag() {
		return fmt.Errorf("the value at line %d has the tag %s, which says how to read it, and %s would not fit; remove the tag first", n.Line, n.Tag, Text(v))
	}
	splices, err := f.scalarSplices(n, v, at.inFlow)
	if err != nil {
		return err
	}
	n.Tag, n.Value, n.Style = v.ShortTag(), v.Value, n.Style&yaml.TaggedStyle
	return f.apply(splices...)
}

func (f *File) scalarSplices(n, v *yaml.Node, inFlow bool) ([]splice, error) {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return f.setBlock(n, v)
	}
	s, err := f.scalar(n)
	if err != nil {
		return nil, err
	}
	text := scalarText(v, n.Style, inFlow)
	if s.start == s.end && bytes.IndexByte([]byte(blanks), f.src[max(s.start-1, 0)]) < 0 { // right behind its colon, dash, anchor or tag
		text = " " + text
	}
	return []splice{{s, text}}, nil
}

func settable(path Path, n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		return nil
	case yaml.AliasNode:
		return behindAlias(path, n)
	case yaml.SequenceNode:
		return fmt.Errorf("%s is a list of %d (line %d), not a single value: add an index to the key", path, len(n.Content), n.Line)
	}
	return fmt.Errorf("%s is a mapping (line %d), not a single value: add one of its keys: %s", path, n.Line, keysOf(n))
}

// same reports whether n is v already, for every reader.
func same(n, v *yaml.Node, inFlow bool) bool {
	if n.ShortTag() != v.ShortTag() || n.Value != v.Value {
		return isNull(n) && isNull(v)
	}
	plain := n.Style&^yaml.TaggedStyle == 0
	return !plain || v.ShortTag() != "!!str" || n.Style&yaml.TaggedStyle != 0 || plainIsString(v.Value)
}
