package yamledit

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// span is a range of bytes, the end not included.
type span struct{ start, end int }

// splice puts text in the place of a span.
type splice struct {
	span
	text string
}

// spliced returns src with the splices made. At one place they go in their order.
func spliced(src []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	at := 0
	for _, s := range splices {
		out.Write(src[at:s.start])
		out.WriteString(s.text)
		at = s.end
	}
	out.Write(src[at:])
	return out.Bytes()
}

var bom = []byte("\ufeff")

// lineStarts counts lines as the parser does: YAML 1.1 also breaks them at a
// lone CR, NEL, LS and PS (https://yaml.org/spec/1.1/#id871136).
func lineStarts(src []byte) []int {
	starts := []int{0}
	if bytes.HasPrefix(src, bom) {
		starts[0] = len(bom) // the parser's columns begin after it
	}
	for i := 0; i < len(src); {
		if c := src[i]; c != '\n' && c != '\r' && c < 0xc2 { // no byte that a break begins with
			i++
			continue
		}
		n := breakAt(src, i)
		if n > 0 {
			starts = append(starts, i+n)
		}
		i += max(n, 1)
	}
	return starts
}

// breakAt returns the length of the line break at i, 0 when there is none.
func breakAt(src []byte, i int) int {
	if i >= len(src) {
		return 0
	}
	switch rest := src[i:]; {
	case rest[0] == '\n':
		return 1
	case rest[0] == '\r' && len(rest) > 1 && rest[1] == '\n':
		return 2
	case rest[0] == '\r':
		return 1
	case bytes.HasPrefix(rest, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(rest, []byte("\u2028")), bytes.HasPrefix(rest, []byte("\u2029")):
		return 3
	}
	return 0
}

// offset returns where n begins, its anchor and tag included. The parser counts
// columns in characters.
func (f *File) offset(n *yaml.Node) (int, bool) {
	if n.Line < 1 || n.Line > len(f.lines) {
		return 0, false
	}
	at := f.lines[n.Line-1]
	for range n.Column - 1 {
		if at >= len(f.src) {
			return 0, false
		}
		_, size := utf8.DecodeRune(f.src[at:])
		at += size
	}
	return at, true
}

// line returns the number of the line that holds the byte at, from 0.
func (f *File) line(at int) int {
	i, found := slices.BinarySearch(f.lines, at)
	if found {
		return i
	}
	return max(i-1, 0)
}

// lineEnd returns where the line that holds the byte at ends, its break not included.
func (f *File) lineEnd(at int) int {
	for at < len(f.src) && breakAt(f.src, at) == 0 {
		at++
	}
	return at
}

// skip returns the first place from at on whose byte is none of set.
func (f *File) skip(at int, set string) int {
	for at < len(f.src) && bytes.IndexByte([]byte(set), f.src[at]) >= 0 {
		at++
	}
	return at
}

const blanks = " \t"
