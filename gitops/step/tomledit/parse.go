package tomledit

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// node is a value and where it stands.
type node struct {
	kind       unstable.Kind // Table: of a header or a dotted key, or the root; ArrayTable: a list of those
	start, end int           // of a single value; of others only start, if they stand in one place
	items      []item
	last       int // of a value in brackets: where its last item ends; 0: not known

	// Of a Table: where a new key of it can be written, and how.
	place    int           // behind this line; -1: nowhere
	dotted   yamledit.Path // the keys in front of it there
	indented string        // what stands before the keys of the lines there
}

type item struct {
	key   string // of a table
	value *node
}

// decode reads a text with the stable parser, which also judges it.
func decode(src []byte) (map[string]any, error) {
	var v map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(src, []byte(textedit.BOM)), &v); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, fmt.Errorf("not valid TOML: line %d, column %d: %w", line, column, err)
		}
		return nil, fmt.Errorf("not valid TOML: %w", err)
	}
	return v, nil
}

// parser builds the tree of a text that is valid.
type parser struct {
	p       unstable.Parser
	src     []byte
	base    int
	root    *node
	current *node
}

func parse(src []byte) (*node, error) {
	if err := textedit.Editable(src); err != nil {
		return nil, err
	}
	if _, err := decode(src); err != nil {
		return nil, err
	}
	p := &parser{src: src}
	if bytes.HasPrefix(src, []byte(textedit.BOM)) {
		p.base = len(textedit.BOM)
	}
	p.root = &node{kind: unstable.Table, place: p.base}
	p.current = p.root
	p.p.Reset(src[p.base:])
	for p.p.NextExpression() {
		p.expression(p.p.Expression())
	}
	if err := p.p.Error(); err != nil {
		return nil, fmt.Errorf("not valid TOML: %w", err)
	}
	return p.root, nil
}

func (p *parser) expression(e *unstable.Node) {
	switch e.Kind {
	case unstable.Table, unstable.ArrayTable:
		p.header(e)
	case unstable.KeyValue:
		p.keyValue(p.current, e, true)
	}
}

// header makes the table that a header names the current one.
func (p *parser) header(e *unstable.Node) {
	at, path, end := p.root, keyOf(e), p.keyEnd(e)
	for i, part := range path {
		last := i == len(path)-1
		next := at.member(part)
		switch {
		case next == nil && last && e.Kind == unstable.ArrayTable:
			next = &node{kind: unstable.ArrayTable, place: -1}
			at.items = append(at.items, item{key: part, value: next})
		case next == nil:
			next = &node{kind: unstable.Table, place: -1}
			at.items = append(at.items, item{key: part, value: next})
		}
		if next.kind == unstable.ArrayTable && last {
			next.items = append(next.items, item{value: &node{kind: unstable.Table, place: -1}})
		}
		if next.kind == unstable.ArrayTable {
			next = next.items[len(next.items)-1].value
		}
		at = next
	}
	at.place = textedit.LineEnd(p.src, end)
	p.current = at
}

// keyValue adds a key with its value to a table. On a line of its own, its place
// is where the table's next key can go.
func (p *parser) keyValue(table *node, e *unstable.Node, line bool) {
	start, end := p.span(e)
	path := keyOf(e)
	at := table
	for i, part := range path[:len(path)-1] {
		next := at.member(part)
		if next == nil {
			next = &node{kind: unstable.Table, place: -1, dotted: append(table.dotted, path[:i+1]...)}
			at.items = append(at.items, item{key: part, value: next})
		}
		if at = next; line {
			at.place, at.indented = textedit.LineEnd(p.src, end), p.indent(start)
		}
	}
	at.items = append(at.items, item{key: path[len(path)-1], value: p.value(e.Value())})
	if table.last = end; line {
		table.place, table.indented = textedit.LineEnd(p.src, end), p.indent(start)
	}
}

func (p *parser) value(v *unstable.Node) *node {
	n := &node{kind: v.Kind, place: -1}
	n.start, n.end = p.span(v)
	for it := v.Children(); it.Next(); {
		switch c := it.Node(); {
		case c.Kind == unstable.Comment:
		case v.Kind == unstable.InlineTable:
			p.keyValue(n, c, false)
		case v.Kind == unstable.Array:
			child := p.value(c)
			n.items, n.last = append(n.items, item{value: child}), child.end
		}
	}
	return n
}

// span returns the bytes of a node, both 0 when the parser does not tell.
func (p *parser) span(n *unstable.Node) (start, end int) {
	r := n.Raw
	if r.Length == 0 && len(n.Data) > 0 && n.Kind != unstable.String {
		r = p.p.Range(n.Data)
	}
	if r.Length == 0 {
		return 0, 0
	}
	return p.base + int(r.Offset), p.base + int(r.Offset) + int(r.Length)
}

func (p *parser) keyEnd(e *unstable.Node) (end int) {
	for it := e.Key(); it.Next(); {
		_, end = p.span(it.Node())
	}
	return end
}

// indent returns the blanks between the start of a line and the byte at.
func (p *parser) indent(at int) string {
	from := max(bytes.LastIndexByte(p.src[:at], '\n')+1, p.base)
	if blank := p.src[from:at]; len(bytes.Trim(blank, " \t")) == 0 {
		return string(blank)
	}
	return ""
}

func keyOf(e *unstable.Node) (path yamledit.Path) {
	for it := e.Key(); it.Next(); {
		path = append(path, string(it.Node().Data))
	}
	return path
}

// table reports whether n has keys.
func (n *node) table() bool { return n.kind == unstable.Table || n.kind == unstable.InlineTable }

// list reports whether n has items without keys.
func (n *node) list() bool { return n.kind == unstable.Array || n.kind == unstable.ArrayTable }

func (n *node) member(key string) *node {
	for _, it := range n.items {
		if it.key == key {
			return it.value
		}
	}
	return nil
}

func (n *node) leaves(at yamledit.Path, yield func(yamledit.Path) bool) bool {
	if !n.table() && !n.list() {
		return yield(at)
	}
	for i, it := range n.items {
		key := it.key
		if n.list() {
			key = strconv.Itoa(i)
		}
		if !it.value.leaves(append(at[:len(at):len(at)], key), yield) {
			return false
		}
	}
	return true
}
