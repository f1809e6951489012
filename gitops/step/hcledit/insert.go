package hcledit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// insertion says where the last part of a path goes, and how it is written there.
func (f *File) insertion(at found, path yamledit.Path, text string) (place int, written string, err error) {
	key := path[len(path)-1]
	switch e := at.inner.(type) {
	case *hclsyntax.ObjectConsExpr:
		place, written = f.item(e, key, text)
		return place, written, nil
	case *hclsyntax.TupleConsExpr:
		if i, _ := textedit.Index(key); i != len(e.Exprs) {
			return 0, "", fmt.Errorf("%w %s: %s has %d items, and 0 is the first", yamledit.ErrMissing, path, path[:len(path)-1], len(e.Exprs))
		}
		if len(e.Exprs) == 0 {
			start, _ := f.span(e.OpenRange)
			return start + 1, text, nil
		}
		_, end := f.span(e.Exprs[len(e.Exprs)-1].Range())
		return end, ", " + text, nil
	}
	if !hclsyntax.ValidIdentifier(key) {
		return 0, "", fmt.Errorf("%q cannot be the name of an attribute", key)
	}
	place, written = f.attribute(at, key+" = "+text)
	return place, written, nil
}

// attribute writes a line behind the last attribute of a body.
func (f *File) attribute(at found, line string) (int, string) {
	eol := textedit.EOL(f.src)
	if attrs := sorted(at.body); len(attrs) > 0 {
		start, end := f.span(attrs[len(attrs)-1].SrcRange)
		return textedit.LineEnd(f.src, end), eol + f.indent(start) + line
	}
	if at.block == nil {
		before := ""
		if len(f.src) > f.base && !bytes.HasSuffix(f.src, []byte("\n")) {
			before = eol
		}
		return len(f.src), before + line + eol
	}
	start, _ := f.span(at.block.TypeRange)
	_, open := f.span(at.block.OpenBraceRange)
	written := eol + f.indent(start) + "  " + line
	if at.block.OpenBraceRange.Start.Line == at.block.CloseBraceRange.Start.Line {
		written += eol + f.indent(start)
	}
	return open, written
}

// item writes a key of an object behind its last one: on a line of its own if
// the brace that ends the object stands on one.
func (f *File) item(e *hclsyntax.ObjectConsExpr, key, text string) (int, string) {
	if !hclsyntax.ValidIdentifier(key) {
		key = quoted(key)
	}
	if len(e.Items) == 0 {
		_, open := f.span(e.OpenRange)
		return open, " " + key + " = " + text + " "
	}
	last := e.Items[len(e.Items)-1]
	start, _ := f.span(last.KeyExpr.Range())
	_, end := f.span(last.ValueExpr.Range())
	_, closed := f.span(e.SrcRange)
	if strings.Contains(string(f.src[end:closed]), "\n") {
		return end, textedit.EOL(f.src) + f.indent(start) + key + " = " + text
	}
	return end, ", " + key + " = " + text
}

// indent returns the blanks that begin the line of the byte at.
func (f *File) indent(at int) string {
	from := max(bytes.LastIndexByte(f.src[:at], '\n')+1, f.base)
	line := string(f.src[from:at])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
