package yamledit

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// apply makes the splices, which must not overlap, and keeps the outcome if it
// parses to f.docs, which the caller has changed to what the edit means.
func (f *File) apply(splices ...splice) error {
	src := spliced(f.src, splices)
	err := editable(src)
	if err == nil && f.checkEntry(src, splices) {
		f.src, f.stale = src, true
		return nil
	}
	if err == nil {
		err = f.check(src)
	}
	if err != nil {
		f.restore()
	}
	return err
}

// check compares all of src with what the edit means.
func (f *File) check(src []byte) error {
	docs, err := parse(src)
	if err != nil {
		return fmt.Errorf("the edit was given up because its outcome would be %w", err)
	}
	if len(docs) != len(f.docs) {
		return errors.New("the edit was given up because it would change how many documents the file has")
	}
	for i := range docs {
		if at := difference(f.docs[i], docs[i]); at != nil {
			return fmt.Errorf("the edit was given up because it would also change what stands at line %d", at.Line)
		}
	}
	f.reset(src, docs)
	return nil
}

// restore undoes changes of f.docs after an edit that was given up.
func (f *File) restore() {
	if docs, err := parse(f.src); err == nil {
		f.docs = docs
	}
}

// checkEntry is a faster check for the usual case, an edit within one entry of a
// root mapping in block style: it parses that entry's lines alone. The lines
// before it are as they were; those behind it begin with a key at the left edge,
// which ends whatever the entry holds. It says yes or that it does not know.
func (f *File) checkEntry(src []byte, splices []splice) bool {
	root, entry, lines, ok := f.entryAround(splices)
	if !ok {
		return false
	}
	edited := src[lines.start : lines.end+len(src)-len(f.src)]
	if f.separable(f.src[lines.start:lines.end]) && f.separable(edited) {
		docs, err := parse(edited)
		want := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: root.Content[entry : entry+2]}
		return err == nil && len(docs) == 1 && difference(want, docs[0].Content[0]) == nil
	}
	return false
}

// entryAround finds the root entry whose lines hold all the splices, and the
// index of its key. f.docs has been changed by now, but for positions.
func (f *File) entryAround(splices []splice) (root *yaml.Node, entry int, lines span, ok bool) {
	if len(f.docs) != 1 || len(f.docs[0].Content) != 1 {
		return nil, 0, span{}, false
	}
	root = f.docs[0].Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || root.Anchor != "" {
		return nil, 0, span{}, false
	}
	lines = span{-1, len(f.src)}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		if key.Column != 1 || key.Line > len(f.lines) || key.Line < 1 { // a key that the edit adds has no place
			return nil, 0, span{}, false
		}
		if start := f.lines[key.Line-1]; start <= splices[0].start {
			lines.start, entry = start, i
		} else {
			lines.end = start
			break
		}
	}
	last := splices[len(splices)-1]
	return root, entry, lines, lines.start >= 0 && last.end < lines.end
}

// separable refuses lines that mean something to others, or to which others mean
// something: anchors, aliases, document marks, explicit keys.
func (f *File) separable(lines []byte) bool {
	if bytes.ContainsAny(lines, "&*") || bytes.HasPrefix(lines, []byte("?")) {
		return false
	}
	for _, mark := range []string{"---", "...", "%"} {
		if bytes.HasPrefix(lines, []byte(mark)) || bytes.Contains(lines, []byte("\n"+mark)) || bytes.Contains(lines, []byte("\r"+mark)) {
			return false
		}
	}
	return true
}

// difference returns the first node of got that is not the one of want: in kind,
// type, value, anchor or number of children.
func difference(want, got *yaml.Node) *yaml.Node {
	if want.Kind != got.Kind || want.Value != got.Value || want.Anchor != got.Anchor ||
		len(want.Content) != len(got.Content) || want.ShortTag() != got.ShortTag() {
		return got
	}
	for i := range want.Content {
		if at := difference(want.Content[i], got.Content[i]); at != nil {
			return at
		}
	}
	return nil
}
