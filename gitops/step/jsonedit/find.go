package jsonedit

import (
	"fmt"
	"strconv"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// found is the place that a path leads to, as far as it exists.
type found struct {
	parent *node // the last object or list on the way
	value  *node // nil: parent lacks path[depth]; with depth short of the path: a null in the way
	depth  int
}

func (at found) whole(path yamledit.Path) bool { return at.value != nil && at.depth == len(path) }

func (f *File) find(path yamledit.Path) (found, error) {
	at := found{value: f.root}
	for i, part := range path {
		n := at.value
		switch {
		case n == nil || n.null && i > 0:
			return at, nil
		case n.kind == 0:
			return at, fmt.Errorf("%s is a single value (line %d), so it has no %q", textedit.Name(path[:i]), f.line(n), part)
		}
		at.parent = n
		value, err := f.child(n, path[:i], part)
		if err != nil {
			return at, err
		}
		if at.value = value; value == nil {
			return at, nil
		}
		at.depth++
	}
	return at, nil
}

func (f *File) line(n *node) int { return textedit.Line(f.src, n.start) }

// child returns the value of part in n; nil when it is missing.
func (f *File) child(n *node, at yamledit.Path, part string) (value *node, err error) {
	if n.kind == '[' {
		i, ok := textedit.Index(part)
		switch {
		case part == "-1": // behind the last one
			return nil, nil
		case !ok:
			return nil, fmt.Errorf("%s is a list of %d (line %d): write an index in place of %q, 0 is the first", textedit.Name(at), len(n.items), f.line(n), part)
		case i >= len(n.items):
			return nil, nil
		}
		return n.items[i].value, nil
	}
	for _, it := range n.items {
		if it.key != part {
			continue
		}
		if value != nil {
			return nil, fmt.Errorf("%s has the key %q twice (lines %d and %d): remove one", textedit.Name(at), part, f.line(value), f.line(it.value))
		}
		value = it.value
	}
	return value, nil
}

// leaves gives the paths of all single values.
func (f *File) leaves(yield func(yamledit.Path) bool) {
	if f.root != nil {
		f.root.leaves(nil, yield)
	}
}

func (n *node) leaves(at yamledit.Path, yield func(yamledit.Path) bool) bool {
	if n.kind == 0 {
		return len(at) == 0 || yield(at)
	}
	for i, it := range n.items {
		key := it.key
		if n.kind == '[' {
			key = strconv.Itoa(i)
		}
		if !it.value.leaves(append(at[:len(at):len(at)], key), yield) {
			return false
		}
	}
	return true
}
