package tomledit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// File is a TOML text, open for edits.
type File struct {
	src  []byte
	root *node
}

// Parse reads src. An empty text is a table without keys.
func Parse(src []byte) (*File, error) {
	src = bytes.Clone(src)
	root, err := parse(src)
	if err != nil {
		return nil, err
	}
	return &File{src, root}, nil
}

// Bytes returns the text with all edits so far. The caller must not change it.
func (f *File) Bytes() []byte { return f.src }

// found is the place that a path leads to, as far as it exists.
type found struct {
	parent *node
	value  *node // nil: parent lacks path[depth]
	depth  int
}

// Set replaces the single value at path by v, a string, number or boolean in
// JSON. A float stays one, a date too if v is one, and a text keeps the quotes
// that it had. A path that is not there is yamledit.ErrMissing.
func (f *File) Set(path yamledit.Path, v json.RawMessage) error {
	at, err := f.find(path)
	switch {
	case err != nil:
		return err
	case at.value == nil:
		return textedit.Missing(path, func(yield func(yamledit.Path) bool) { f.root.leaves(nil, yield) })
	}
	return f.replace(path, at.value, v)
}

// Add is Set that also makes what is missing of path: a key on a line behind the
// last one of its table, a table at the end of the text; or, with the index after
// the last one, another item of a list.
func (f *File) Add(path yamledit.Path, v json.RawMessage) error {
	at, err := f.find(path)
	switch {
	case err != nil:
		return err
	case at.value != nil:
		return f.replace(path, at.value, v)
	}
	text, err := scalar(v, nil)
	if err != nil {
		return err
	}
	place, written, err := f.insertion(at, path, text)
	if err != nil {
		return err
	}
	return f.apply(path, place, place, written)
}

func (f *File) find(path yamledit.Path) (found, error) {
	at := found{value: f.root}
	for i, part := range path {
		n := at.value
		at.parent = n
		switch index, ok := textedit.Index(part); {
		case n.table():
			at.value = n.member(part)
		case !n.list():
			return at, fmt.Errorf("%s is a single value (line %d), so it has no %q", textedit.Name(path[:i]), textedit.Line(f.src, n.start), part)
		case !ok:
			return at, fmt.Errorf("%s is a list of %d: write an index in place of %q, 0 is the first", textedit.Name(path[:i]), len(n.items), part)
		case index < len(n.items):
			at.value = n.items[index].value
		default:
			at.value = nil
		}
		if at.value == nil {
			return at, nil
		}
		at.depth++
	}
	return at, nil
}

func (f *File) replace(path yamledit.Path, n *node, v json.RawMessage) error {
	switch {
	case n.table():
		return fmt.Errorf("%s is a table, not a single value: add one of its keys", path)
	case n.list():
		return fmt.Errorf("%s is a list of %d, not a single value: add an index to the key", path, len(n.items))
	case n.end == 0:
		return fmt.Errorf("%s cannot be found again in the text: change it by hand", path)
	}
	text, err := scalar(v, f.src[n.start:n.end])
	if err != nil {
		return err
	}
	if sameValue(string(f.src[n.start:n.end]), text) {
		return nil
	}
	return f.apply(path, n.start, n.end, text)
}

// apply makes a splice, and keeps its outcome if that is the old value with
// nothing but the one at path changed.
func (f *File) apply(path yamledit.Path, start, end int, text string) error {
	src := textedit.Replace(f.src, start, end, text)
	edited, err := Parse(src)
	if err != nil {
		return fmt.Errorf("the edit was given up because its outcome would be %w", err)
	}
	at, err := edited.find(path)
	if err != nil || at.value == nil || at.value.end == 0 {
		return errors.Join(errors.New("the edit was given up because its value could not be found again"), err)
	}
	old, err := decode(f.src)
	if err != nil {
		return err
	}
	value, valueErr := valueOf(string(src[at.value.start:at.value.end]))
	now, err := decode(src)
	if err = errors.Join(err, valueErr); err != nil {
		return fmt.Errorf("the edit was given up because its outcome cannot be read: %w", err)
	}
	if !same(with(old, path, value), now) {
		return errors.New("the edit was given up because it would also change something else")
	}
	*f = *edited
	return nil
}
