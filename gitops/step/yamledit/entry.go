package yamledit

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Rename gives the key at path another name. Its value, place and comments stay.
func (f *File) Rename(path Path, key string) error {
	at, err := f.entry(path)
	if err != nil {
		return err
	}
	if _, clash, err := child(at.parent, path[:len(path)-1], key); err != nil || clash != nil {
		return errors.Join(err, fmt.Errorf("%s has the key %s already", name(path[:len(path)-1]), key))
	}
	s, err := f.scalar(at.key)
	if err != nil {
		return err
	}
	text := scalarText(String(key), at.key.Style, at.inFlow)
	*at.key = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Anchor: at.key.Anchor}
	return f.apply(splice{s, text})
}

// Remove takes the key at path and its value out of their mapping, with their
// lines. A mapping's only key is not removed.
func (f *File) Remove(path Path) error {
	at, err := f.entry(path)
	if err != nil {
		return err
	}
	content := at.parent.Content
	if len(content) <= 2 {
		return fmt.Errorf("%s is the only key of its mapping (line %d)", path, at.key.Line)
	}
	i := 0
	for content[i] != at.key {
		i += 2
	}
	s, err := f.entrySpan(at, i)
	if err != nil {
		return err
	}
	at.parent.Content = append(content[:i:i], content[i+2:]...)
	return f.apply(splice{s, ""})
}

// entry finds a key with its value.
func (f *File) entry(path Path) (found, error) {
	at, err := f.find(path)
	switch {
	case err != nil:
		return at, err
	case !at.whole(path):
		return at, f.missing(path, at)
	case at.key == nil:
		return at, fmt.Errorf("%s is an item of a list, not a key", name(path))
	}
	return at, nil
}

// entrySpan returns the bytes that go when the key at index i of the parent's content goes.
func (f *File) entrySpan(at found, i int) (span, error) {
	content := at.parent.Content
	start, ok := f.offset(at.key)
	end, err := f.end(at.value)
	if !ok || err != nil {
		return span{}, errors.Join(err, f.refuse(at.key, "cannot be found again in the text"))
	}
	head := f.lines[f.line(start)]
	alone := f.skip(head, " ") == start
	switch last := i+2 >= len(content); {
	case !at.inFlow && alone:
		return f.wholeLines(head, f.lineEnd(end)), nil
	case !last:
		next, ok := f.offset(content[i+2])
		if !ok {
			return span{}, f.refuse(content[i+2], "cannot be found again in the text")
		}
		return span{start, next}, nil
	default:
		before, err := f.end(content[i-1])
		return span{before, end}, err
	}
}

// wholeLines adds the line break after the lines, or at the end of the text the one before.
func (f *File) wholeLines(start, end int) span {
	if n := breakAt(f.src, end); n > 0 {
		return span{start, end + n}
	}
	if i := f.line(start); i > 0 {
		start = f.lineEnd(f.lines[i-1])
	}
	return span{start, end}
}

// Reorder puts the items of the list at path into the order given: the item that
// comes i-th was the order[i]-th. A list that has comments or blank lines between
// its items is refused: whom they belong to cannot be known.
func (f *File) Reorder(path Path, order []int) error {
	at, err := f.find(path)
	switch {
	case err != nil:
		return err
	case !at.whole(path) || at.value.Kind != yaml.SequenceNode || len(at.value.Content) != len(order):
		return fmt.Errorf("%s is no list of %d items", name(path), len(order))
	}
	slots, err := f.slots(at.value)
	if err != nil {
		return err
	}
	items := make([]*yaml.Node, len(order))
	splices := make([]splice, len(order))
	for i, from := range order {
		items[i] = at.value.Content[from]
		splices[i] = splice{slots[i], string(f.src[slots[from].start:slots[from].end])}
	}
	at.value.Content = items
	return f.apply(splices...)
}

// slots returns the bytes of each item: its lines in a block list.
func (f *File) slots(list *yaml.Node) ([]span, error) {
	slots := make([]span, len(list.Content))
	for i, item := range list.Content {
		start, ok := f.offset(item)
		end, err := f.end(item)
		if !ok || err != nil {
			return nil, errors.Join(err, f.refuse(item, "cannot be found again in the text"))
		}
		if list.Style&yaml.FlowStyle == 0 {
			start, end = f.lines[f.line(start)], f.lineEnd(end)
			if commented := i == 0 && f.commented(start); commented || i > 0 && start != slots[i-1].end+breakAt(f.src, slots[i-1].end) {
				return nil, f.refuse(item, "has a comment or a blank line before it")
			}
		}
		slots[i] = span{start, end}
	}
	return slots, nil
}

// commented reports whether the line before the one that starts there is a comment.
func (f *File) commented(start int) bool {
	i := f.line(start)
	if i == 0 {
		return false
	}
	text := f.skip(f.lines[i-1], blanks)
	return text < len(f.src) && f.src[text] == '#'
}
