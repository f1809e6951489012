package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// File is a JSON text, open for edits.
type File struct {
	src  []byte
	root *node // nil: the text holds nothing
}

// Parse reads src. An empty text is a File to which Add may give a first key.
func Parse(src []byte) (*File, error) {
	root, err := parse(src)
	if err != nil {
		return nil, err
	}
	return &File{bytes.Clone(src), root}, nil
}

// Bytes returns the text with all edits so far. The caller must not change it.
func (f *File) Bytes() []byte { return f.src }

// Set replaces the single value at path by v, a string, number or boolean in
// JSON. A value that is v already keeps its spelling. A path that is not there
// is yamledit.ErrMissing.
func (f *File) Set(path yamledit.Path, v json.RawMessage) error {
	at, text, err := f.prepare(path, v)
	if err != nil {
		return err
	}
	if !at.whole(path) {
		return textedit.Missing(path, f.leaves)
	}
	return f.replace(path, at.value, text)
}

// Add is Set that also makes what is missing of path: objects on the way, and
// the key itself after the last one of its object; or, with -1 or the index after
// the last one, another item of a list.
func (f *File) Add(path yamledit.Path, v json.RawMessage) error {
	at, text, err := f.prepare(path, v)
	switch {
	case err != nil:
		return err
	case at.whole(path):
		return f.replace(path, at.value, text)
	}
	rest := path[at.depth:]
	switch {
	case at.value != nil: // a null on the way
		if text, err = wrap(rest, text); err != nil {
			return err
		}
		return f.apply(path, at.value.start, at.value.end, text)
	case at.parent == nil:
		if text, err = wrap(rest, text); err != nil {
			return err
		}
		return f.apply(path, len(f.src), len(f.src), text+"\n")
	}
	if i, ok := textedit.Index(rest[0]); at.parent.kind == '[' && rest[0] != "-1" && (!ok || i != len(at.parent.items)) {
		return fmt.Errorf("%w %s: %s has %d items, and 0 is the first; -1 adds one", yamledit.ErrMissing, path, textedit.Name(path[:at.depth]), len(at.parent.items))
	}
	if text, err = wrap(rest[1:], text); err != nil {
		return err
	}
	place, text := f.insertion(at.parent, rest[0], text)
	return f.apply(path, place, place, text)
}

// prepare finds a path and writes v as JSON.
func (f *File) prepare(path yamledit.Path, v json.RawMessage) (found, string, error) {
	text, err := scalar(v)
	if err != nil {
		return found{}, "", err
	}
	at, err := f.find(path)
	return at, text, err
}

func (f *File) replace(path yamledit.Path, n *node, text string) error {
	switch {
	case n.kind == '{':
		return fmt.Errorf("%s is an object (line %d), not a single value: add one of its keys", path, f.line(n))
	case n.kind == '[':
		return fmt.Errorf("%s is a list of %d (line %d), not a single value: add an index to the key", path, len(n.items), f.line(n))
	}
	if old, err := scalar(f.src[n.start:n.end]); err == nil && old == text {
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
	at, err := edited.find(lastIndex(path, edited))
	if err != nil || at.value == nil {
		return errors.Join(errors.New("the edit was given up because its value could not be found again"), err)
	}
	want := with(decoded(f.src), lastIndex(path, edited), decoded(edited.src[at.value.start:at.value.end]))
	if !reflect.DeepEqual(want, decoded(src)) {
		return errors.New("the edit was given up because it would also change something else")
	}
	*f = *edited
	return nil
}

// lastIndex writes the index of the last item in the place of -1.
func lastIndex(path yamledit.Path, f *File) yamledit.Path {
	for i, part := range path {
		if at, err := f.find(path[:i]); part == "-1" && err == nil && at.whole(path[:i]) && at.value.kind == '[' {
			path = append(path[:i:i], append(yamledit.Path{fmt.Sprint(len(at.value.items) - 1)}, path[i+1:]...)...)
		}
	}
	return path
}
