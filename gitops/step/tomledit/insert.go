package tomledit

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// insertion says where what is missing of a path goes, and how it is written there.
func (f *File) insertion(at found, path yamledit.Path, text string) (place int, written string, err error) {
	n, rest := at.parent, path[at.depth:]
	for _, part := range rest[1:] {
		if _, isIndex := textedit.Index(part); isIndex {
			return 0, "", fmt.Errorf("%w %s: a list is not made, as %s might be a key as well; write the list into the file first", yamledit.ErrMissing, path, part)
		}
	}
	switch {
	case n.kind == unstable.ArrayTable:
		return 0, "", fmt.Errorf("%w %s: %s has %d tables, and another one is not made; write it into the file first", yamledit.ErrMissing, path, textedit.Name(path[:at.depth]), len(n.items))
	case n.list() || n.kind == unstable.InlineTable:
		return f.within(n, rest, path, text)
	case n.place < 0 || n == f.root && len(rest) > 1:
		return f.section(path, text)
	}
	return f.line(n, append(n.dotted[:len(n.dotted):len(n.dotted)], rest...), text)
}

// within adds to a list or table that is written with brackets, behind its last item.
func (f *File) within(n *node, rest, path yamledit.Path, text string) (int, string, error) {
	if i, _ := textedit.Index(rest[0]); n.list() && (i != len(n.items) || len(rest) > 1) {
		return 0, "", fmt.Errorf("%w %s: %s has %d items, and 0 is the first", yamledit.ErrMissing, path, textedit.Name(path[:len(path)-len(rest)]), len(n.items))
	}
	if !n.list() {
		text = dotted(rest) + " = " + text
	}
	switch {
	case n.last > 0:
		return n.last, ", " + text, nil
	case len(n.items) == 0 && n.kind == unstable.InlineTable:
		return n.start + 1, " " + text, nil
	}
	return 0, "", fmt.Errorf("%w %s, and its place in %s cannot be found: add it by hand", yamledit.ErrMissing, path, textedit.Name(path[:len(path)-len(rest)]))
}

// line writes a key behind the last one of its table.
func (f *File) line(n *node, key yamledit.Path, text string) (int, string, error) {
	text = n.indented + dotted(key) + " = " + text
	if first := n == f.root && len(n.items) == 0 || n.place == f.start(); first {
		return f.start(), text + textedit.EOL(f.src), nil
	}
	return n.place, textedit.EOL(f.src) + text, nil
}

// section writes a table with its first key at the end of the text.
func (f *File) section(path yamledit.Path, text string) (int, string, error) {
	eol := textedit.EOL(f.src)
	before := ""
	if len(f.src) > f.start() {
		before = eol
		if !bytes.HasSuffix(f.src, []byte("\n")) {
			before += eol
		}
	}
	head, key := path[:len(path)-1], path[len(path)-1:]
	return len(f.src), before + "[" + dotted(head) + "]" + eol + dotted(key) + " = " + text + eol, nil
}

// start is where the text begins, behind a byte order mark.
func (f *File) start() int {
	if bytes.HasPrefix(f.src, []byte(textedit.BOM)) {
		return len(textedit.BOM)
	}
	return 0
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// dotted writes a key.
func dotted(key yamledit.Path) string {
	parts := make([]string, len(key))
	for i, part := range key {
		if parts[i] = part; !bare.MatchString(part) {
			parts[i] = basic(part)
		}
	}
	return strings.Join(parts, ".")
}
