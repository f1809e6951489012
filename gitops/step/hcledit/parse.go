package hcledit

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
)

// The parser calls itself for what is nested, without a bound of its own. A text
// of brackets alone could end the process.
const (
	maxSize     = 2 << 20 // bytes
	maxDepth    = 200     // brackets and templates inside each other
	maxSigns    = 100     // of ! and - in a row
	maxTernarys = 2000    // of ? in a text
)

// File is an HCL text, open for edits.
type File struct {
	src    []byte
	base   int // where the text begins, behind a byte order mark
	body   *hclsyntax.Body
	tokens hclsyntax.Tokens
}

// Parse reads src. An empty text is a body without attributes.
func Parse(src []byte) (f *File, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser gave up
			f, err = nil, fmt.Errorf("not valid HCL: %v", r)
		}
	}()
	if err := textedit.Editable(src); err != nil {
		return nil, err
	}
	if len(src) > maxSize {
		return nil, fmt.Errorf("the file has %d bytes; HCL files over %d are not edited", len(src), maxSize)
	}
	f = &File{src: bytes.Clone(src)}
	if bytes.HasPrefix(src, []byte(textedit.BOM)) {
		f.base = len(textedit.BOM)
	}
	var diags hcl.Diagnostics
	if f.tokens, diags = hclsyntax.LexConfig(f.src[f.base:], "", hcl.InitialPos); diags.HasErrors() {
		return nil, f.invalid(diags)
	}
	if err := bounded(f.tokens); err != nil {
		return nil, err
	}
	file, diags := hclsyntax.ParseConfig(f.src[f.base:], "", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, f.invalid(diags)
	}
	f.body = file.Body.(*hclsyntax.Body)
	return f, nil
}

// Bytes returns the text with all edits so far. The caller must not change it.
func (f *File) Bytes() []byte { return f.src }

func (f *File) invalid(diags hcl.Diagnostics) error {
	if bytes.HasPrefix(bytes.TrimSpace(f.src[f.base:]), []byte("{")) {
		return errors.New("not HCL but JSON, by its first brace; use json-update")
	}
	for _, d := range diags {
		if d.Severity == hcl.DiagError && d.Subject != nil {
			return fmt.Errorf("not valid HCL: line %d, column %d: %s: %s", d.Subject.Start.Line, d.Subject.Start.Column, d.Summary, d.Detail)
		}
	}
	return fmt.Errorf("not valid HCL: %w", diags)
}

// bounded refuses texts on which the parser would go too deep.
func bounded(tokens hclsyntax.Tokens) error {
	depth, signs, ternarys := 0, 0, 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
			depth--
		case hclsyntax.TokenQuestion:
			ternarys++
		}
		if signs++; t.Type != hclsyntax.TokenBang && t.Type != hclsyntax.TokenMinus {
			signs = 0
		}
		if depth > maxDepth || signs > maxSigns || ternarys > maxTernarys {
			return fmt.Errorf("not valid HCL: line %d: it is nested too deep", t.Range.Start.Line)
		}
	}
	return nil
}

// span returns the bytes of a range.
func (f *File) span(r hcl.Range) (start, end int) { return f.base + r.Start.Byte, f.base + r.End.Byte }

// text is what stands at a range.
func (f *File) text(r hcl.Range) string {
	start, end := f.span(r)
	return string(f.src[start:end])
}
