package hcledit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// Set replaces the literal at path by v, a string, number, boolean or null in
// JSON. A path that is not there is yamledit.ErrMissing.
func (f *File) Set(path yamledit.Path, v json.RawMessage) error {
	text, err := scalar(v)
	if err != nil {
		return err
	}
	at, err := f.find(path)
	switch {
	case err != nil:
		return err
	case at.expr == nil:
		return textedit.Missing(path, f.leaves)
	}
	return f.replace(path, at.expr, text)
}

// Add is Set that also makes the last part of path: an attribute behind the last
// one of its block, a key of an object, or the item after the last one of a list.
func (f *File) Add(path yamledit.Path, v json.RawMessage) error {
	text, err := scalar(v)
	if err != nil {
		return err
	}
	at, err := f.find(path)
	switch {
	case err != nil:
		return err
	case at.expr != nil:
		return f.replace(path, at.expr, text)
	case at.depth < len(path)-1:
		return fmt.Errorf("%w %s: no block or object is made; write %s into the file first", yamledit.ErrMissing, path, path[:len(path)-1])
	}
	place, written, err := f.insertion(at, path, text)
	if err != nil {
		return err
	}
	return f.apply(path, place, place, written, text)
}

func (f *File) replace(path yamledit.Path, expr hclsyntax.Expression, text string) error {
	r := expr.Range()
	old := f.text(r)
	switch e := expr.(type) {
	case *hclsyntax.ObjectConsExpr:
		return fmt.Errorf("%s is an object (line %d), not a single value: add one of its keys", path, r.Start.Line)
	case *hclsyntax.TupleConsExpr:
		return fmt.Errorf("%s is a list of %d (line %d), not a single value: add an index to the key", path, len(e.Exprs), r.Start.Line)
	}
	switch {
	case strings.HasPrefix(old, "<<"):
		return fmt.Errorf("%s is a heredoc (line %d), which is not replaced: write it between quotes first", path, r.Start.Line)
	case !literal(expr):
		return fmt.Errorf("%s is computed (line %d): %s; only a literal is replaced", path, r.Start.Line, shorten(old))
	case same(expr, old, text):
		return nil
	}
	start, end := f.span(r)
	return f.apply(path, start, end, text, text)
}

// literal reports whether an expression is a single value that is written out.
func literal(expr hclsyntax.Expression) bool {
	switch e := expr.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.UnaryOpExpr:
		return e.Op == hclsyntax.OpNegate && literal(e.Val)
	case *hclsyntax.TemplateExpr:
		for _, part := range e.Parts {
			if _, ok := part.(*hclsyntax.LiteralValueExpr); !ok {
				return false
			}
		}
		return true
	}
	return false
}

// same reports whether the literal is what text says already, however it is spelled.
func same(expr hclsyntax.Expression, old, text string) bool {
	return old == text || strings.HasPrefix(text, `"`) && says(expr, text)
}

// says reports whether a literal has the value that text is to have.
func says(expr hclsyntax.Expression, text string) bool {
	v, diags := expr.Value(nil)
	if diags.HasErrors() {
		return false
	}
	if v.IsNull() || v.Type().FriendlyName() != "string" {
		return !strings.HasPrefix(text, `"`)
	}
	return quoted(v.AsString()) == text
}

// apply makes a splice, and keeps its outcome if text is the value at path then
// and no token outside of the splice is another one.
func (f *File) apply(path yamledit.Path, start, end int, written, text string) error {
	edited, err := Parse(textedit.Replace(f.src, start, end, written))
	if err != nil {
		return fmt.Errorf("the edit was given up because its outcome would be %w", err)
	}
	at, err := edited.find(path)
	if err != nil || at.expr == nil || edited.text(at.expr.Range()) != text || !says(at.expr, text) {
		return errors.Join(errors.New("the edit was given up because its value could not be found again"), err)
	}
	if !f.keeps(edited, start-f.base, end-f.base) {
		return errors.New("the edit was given up because it would also change something else")
	}
	*f = *edited
	return nil
}

// keeps reports whether edited has all tokens of f before start and from end on.
func (f *File) keeps(edited *File, start, end int) bool {
	equal := func(a, b hclsyntax.Token) bool { return a.Type == b.Type && bytes.Equal(a.Bytes, b.Bytes) }
	old, now := f.tokens, edited.tokens
	for i := 0; i < len(old) && old[i].Range.End.Byte <= start; i++ {
		if i >= len(now) || !equal(old[i], now[i]) {
			return false
		}
	}
	for i := 1; i <= len(old) && old[len(old)-i].Range.Start.Byte >= end; i++ {
		if i > len(now) || !equal(old[len(old)-i], now[len(now)-i]) {
			return false
		}
	}
	return true
}
