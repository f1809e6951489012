package hcledit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// found is the place that a path leads to, as far as it exists.
type found struct {
	expr  hclsyntax.Expression // what is there; nil: the innermost of these lacks path[depth:]
	body  *hclsyntax.Body
	block *hclsyntax.Block // of body; nil: the root
	inner hclsyntax.Expression
	depth int
}

func (f *File) find(path yamledit.Path) (found, error) {
	at := found{body: f.body}
	for at.depth < len(path) {
		if attr, ok := at.body.Attributes[path[at.depth]]; ok {
			at.depth++
			return f.inside(attr.Expr, path, at)
		}
		block, depth, err := f.blockAt(at.body, path, at.depth)
		switch {
		case err != nil:
			return at, err
		case block == nil:
			return at, nil
		}
		at.body, at.block, at.depth = block.Body, block, depth
	}
	return at, fmt.Errorf("%s is a block (line %d), not a single value: add one of its attributes", path, at.block.TypeRange.Start.Line)
}

// blockAt finds the block whose type and labels stand in path from depth on, and
// how deep the path is in it. Nil: there is none.
func (f *File) blockAt(body *hclsyntax.Body, path yamledit.Path, depth int) (*hclsyntax.Block, int, error) {
	var blocks []*hclsyntax.Block
	for _, b := range body.Blocks {
		rest := path[depth+1:]
		if b.Type == path[depth] && len(b.Labels) <= len(rest) && slices.Equal(b.Labels, rest[:len(b.Labels)]) {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		return nil, depth, nil
	}
	next := depth + 1 + len(blocks[0].Labels)
	if next < len(path) {
		if i, ok := textedit.Index(path[next]); ok && i < len(blocks) {
			return blocks[i], next + 1, nil
		}
	}
	if len(blocks) > 1 {
		lines := make([]string, len(blocks))
		for i, b := range blocks {
			lines[i] = strconv.Itoa(b.TypeRange.Start.Line)
		}
		return nil, depth, fmt.Errorf("there are %d blocks %s (lines %s): write an index behind it, 0 is the first", len(blocks), path[:next], strings.Join(lines, ", "))
	}
	return blocks[0], next, nil
}

// inside follows the rest of a path through objects and lists.
func (f *File) inside(expr hclsyntax.Expression, path yamledit.Path, at found) (found, error) {
	for at.depth < len(path) {
		at.inner = expr
		var next hclsyntax.Expression
		part := path[at.depth]
		switch e := expr.(type) {
		case *hclsyntax.ObjectConsExpr:
			for _, item := range e.Items {
				if keyOf(item) != part {
					continue
				}
				if next != nil {
					return at, fmt.Errorf("%s has the key %q twice (line %d): remove one", path[:at.depth], part, item.KeyExpr.Range().Start.Line)
				}
				next = item.ValueExpr
			}
		case *hclsyntax.TupleConsExpr:
			i, ok := textedit.Index(part)
			if !ok {
				return at, fmt.Errorf("%s is a list of %d (line %d): write an index in place of %q, 0 is the first", path[:at.depth], len(e.Exprs), e.SrcRange.Start.Line, part)
			}
			if i < len(e.Exprs) {
				next = e.Exprs[i]
			}
		default:
			return at, fmt.Errorf("%s is %s (line %d), not an object, so it has no %q", path[:at.depth], shorten(f.text(expr.Range())), expr.Range().Start.Line, part)
		}
		if next == nil {
			return at, nil
		}
		expr = next
		at.depth++
	}
	at.expr = expr
	return at, nil
}

// keyOf is the key of an object's item; one that is computed has none.
func keyOf(item hclsyntax.ObjectConsItem) string {
	v, diags := item.KeyExpr.Value(nil)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type().FriendlyName() != "string" {
		return ""
	}
	return v.AsString()
}

// shorten cuts a text for a sentence.
func shorten(text string) string {
	text, _, more := strings.Cut(text, "\n")
	if runes := []rune(text); len(runes) > 40 {
		text, more = string(runes[:40]), true
	}
	if more {
		text += "…"
	}
	return text
}

// leaves gives the paths of all values that are no objects or lists.
func (f *File) leaves(yield func(yamledit.Path) bool) { bodyLeaves(f.body, nil, yield) }

func bodyLeaves(body *hclsyntax.Body, at yamledit.Path, yield func(yamledit.Path) bool) bool {
	for _, a := range sorted(body) {
		if !exprLeaves(a.Expr, append(at[:len(at):len(at)], a.Name), yield) {
			return false
		}
	}
	for _, b := range body.Blocks {
		path := append(append(at[:len(at):len(at)], b.Type), b.Labels...)
		if !bodyLeaves(b.Body, path, yield) {
			return false
		}
	}
	return true
}

// sorted are the attributes of a body in the order of the text.
func sorted(body *hclsyntax.Body) []*hclsyntax.Attribute {
	var out []*hclsyntax.Attribute
	for _, a := range body.Attributes {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *hclsyntax.Attribute) int {
		return cmp.Compare(a.SrcRange.Start.Byte, b.SrcRange.Start.Byte)
	})
	return out
}

func exprLeaves(expr hclsyntax.Expression, at yamledit.Path, yield func(yamledit.Path) bool) bool {
	switch e := expr.(type) {
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			if !exprLeaves(item.ValueExpr, append(at[:len(at):len(at)], keyOf(item)), yield) {
				return false
			}
		}
		return true
	case *hclsyntax.TupleConsExpr:
		for i, item := range e.Exprs {
			if !exprLeaves(item, append(at[:len(at):len(at)], strconv.Itoa(i)), yield) {
				return false
			}
		}
		return true
	}
	return yield(at)
}
