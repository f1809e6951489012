package yamledit

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// content returns where the text of n begins, past its anchor and tag, and
// whether it has any. An empty value (`a:`) has none: its place is past the
// colon, dash, anchor or tag.
func (f *File) content(n *yaml.Node) (at int, empty bool, err error) {
	at, ok := f.offset(n)
	if !ok {
		return 0, false, f.refuse(n, "cannot be found again in the text")
	}
	empty = n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0
	for at < len(f.src) && (f.src[at] == '&' || f.src[at] == '!') {
		at = f.propertyEnd(at)
		next := f.skip(at, blanks)
		if more := next < len(f.src) && (f.src[next] == '&' || f.src[next] == '!'); empty && !more {
			return at, true, nil
		}
		at = next
		if !empty {
			at = f.gap(at)
		}
	}
	return at, empty, nil
}

// propertyEnd returns the end of the anchor or tag at the byte at.
func (f *File) propertyEnd(at int) int {
	if bytes.HasPrefix(f.src[at:], []byte("!<")) {
		if i := bytes.IndexByte(f.src[at:], '>'); i > 0 {
			return at + i + 1
		}
	}
	for at < len(f.src) && breakAt(f.src, at) == 0 && strings.IndexByte(" \t,[]{}", f.src[at]) < 0 {
		at++
	}
	return at
}

// gap skips blanks, line breaks and comments.
func (f *File) gap(at int) int {
	for {
		at = f.skip(at, blanks)
		if at < len(f.src) && f.src[at] == '#' {
			at = f.lineEnd(at)
		}
		n := breakAt(f.src, at)
		if n == 0 {
			return at
		}
		at += n
	}
}

// scalar returns the bytes of a scalar, without anchor and tag, quotes included.
func (f *File) scalar(n *yaml.Node) (span, error) {
	at, empty, err := f.content(n)
	if err != nil || empty {
		return span{at, at}, err
	}
	end := -1
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		end = f.quoteEnd(at, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		end = f.quoteEnd(at, '\'')
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		b, err := f.block(n)
		return span{b.header.start, b.body.end}, err
	default:
		end = f.plainEnd(at, n.Value)
	}
	if end < 0 {
		return span{}, f.refuse(n, "is written in a way that this editor does not know")
	}
	return span{at, end}, nil
}

// quoteEnd returns the end of the quoted text at the byte at, -1 if there is none.
func (f *File) quoteEnd(at int, quote byte) int {
	if at >= len(f.src) || f.src[at] != quote {
		return -1
	}
	for i := at + 1; i < len(f.src); i++ {
		switch {
		case f.src[i] == '\\' && quote == '"':
			i++
		case f.src[i] == quote && quote == '\'' && i+1 < len(f.src) && f.src[i+1] == quote:
			i++
		case f.src[i] == quote:
			return i + 1
		}
	}
	return -1
}

// plainEnd follows value through the text from at on and returns where it ends.
// A line break there stands for one blank of the value, more of them for one
// line break less. It returns -1 if the text is not that value.
func (f *File) plainEnd(at int, value string) int {
	for i := 0; i < len(value); {
		next, breaks := f.fold(at)
		folded := strings.Repeat("\n", max(breaks-1, 0))
		if breaks == 1 {
			folded = " "
		}
		switch {
		case breaks > 0 && strings.HasPrefix(value[i:], folded):
			at, i = next, i+len(folded)
		case breaks == 0 && at < len(f.src) && f.src[at] == value[i]:
			at, i = at+1, i+1
		default:
			return -1
		}
	}
	return at
}

// fold skips blanks and line breaks, and counts the breaks; without any it skips nothing.
func (f *File) fold(at int) (next, breaks int) {
	for i := f.skip(at, blanks); breakAt(f.src, i) > 0; i = f.skip(i, blanks) {
		i += breakAt(f.src, i)
		breaks++
		next = f.skip(i, blanks)
	}
	return next, breaks
}

// end returns where a value of any kind ends, comments after it not included.
func (f *File) end(n *yaml.Node) (int, error) {
	switch {
	case n.Kind == yaml.ScalarNode:
		s, err := f.scalar(n)
		return s.end, err
	case n.Kind == yaml.AliasNode:
		at, ok := f.offset(n)
		if !ok {
			return 0, f.refuse(n, "cannot be found again in the text")
		}
		return f.propertyEnd(at), nil
	case n.Style&yaml.FlowStyle != 0:
		at, err := f.flowEnd(n)
		return at + 1, err
	case len(n.Content) == 0:
		return 0, f.refuse(n, "has no end that can be found")
	}
	return f.end(n.Content[len(n.Content)-1])
}

// flowEnd returns the place of the bracket that closes n.
func (f *File) flowEnd(n *yaml.Node) (int, error) {
	at, _, err := f.content(n)
	if len(n.Content) > 0 && err == nil {
		at, err = f.end(n.Content[len(n.Content)-1])
	} else {
		at++
	}
	if err != nil {
		return 0, err
	}
	for at = f.gap(at); at < len(f.src) && strings.IndexByte(",:", f.src[at]) >= 0; {
		at = f.gap(at + 1)
	}
	if at >= len(f.src) || strings.IndexByte("]}", f.src[at]) < 0 {
		return 0, f.refuse(n, "has no closing bracket that can be found")
	}
	return at, nil
}

// refuse is the error for an edit that could only be guessed.
func (f *File) refuse(n *yaml.Node, why string) error {
	return fmt.Errorf("the value at line %d, column %d %s: change it by hand", n.Line, n.Column, why)
}
