package handlers

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// line is a line of a comment; number counts from 1.
type line struct {
	number int
	text   string
}

// plainLines returns the lines of a Markdown text that begin as plain text of a
// paragraph, in their order: not those in code, quotes, links, HTML or comments,
// and none that begins with a list mark or the like. What such a line holds
// of HTML further on is blanked. The text's lines end in \n.
func plainLines(source string) []line {
	p := newProse(flatten(source))
	root := goldmark.DefaultParser().Parse(text.NewReader(p.source))
	_ = ast.Walk(root, p.visit) // visit returns no error
	var lines []line
	for i, plain := range p.plain {
		if plain {
			lines = append(lines, line{i + 1, string(p.line(i))})
		}
	}
	return lines
}

// deepest is how long the marks may be that a line begins with.
const deepest = 100

// flatten shortens what lines begin with of the marks that open quotes and
// lists. The parser takes half a minute for a comment of nothing but them, and
// no command is in what nests that deeply.
func flatten(source string) []byte {
	out := make([]byte, 0, len(source))
	for l := range strings.Lines(source) {
		if marks := len(l) - len(strings.TrimLeft(l, " \t>-+*0123456789.)")); marks > deepest {
			l = l[:deepest] + l[marks:]
		}
		out = append(out, l...)
	}
	return out
}

type prose struct {
	source  []byte
	visible []byte // the source with its inline HTML blanked
	starts  []int  // offset of each line
	plain   []bool // by line: it begins as plain text
}

func newProse(source []byte) *prose {
	starts := []int{0}
	for i, c := range source {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return &prose{source: source, visible: bytes.Clone(source), starts: starts, plain: make([]bool, len(starts))}
}

// line is the text of line i, counted from 0, without its end.
func (p *prose) line(i int) []byte {
	end := len(p.visible)
	if i+1 < len(p.starts) {
		end = p.starts[i+1] - 1
	}
	return p.visible[p.starts[i]:end]
}

// visit passes over what holds no plain text and notes where plain text begins.
func (p *prose) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.RawHTML:
		p.blank(n.Segments)
		return ast.WalkSkipChildren, nil
	case *ast.Blockquote, *ast.CodeSpan, *ast.CodeBlock, *ast.FencedCodeBlock,
		*ast.HTMLBlock, *ast.Link, *ast.Image, *ast.AutoLink:
		return ast.WalkSkipChildren, nil
	case *ast.Text:
		p.note(n.Segment.Start)
	}
	return ast.WalkContinue, nil
}

// blank hides inline HTML. Line ends stay, so that lines keep their numbers.
func (p *prose) blank(html *text.Segments) {
	for _, s := range html.Sliced(0, html.Len()) {
		for i := s.Start; i < s.Stop; i++ {
			if p.visible[i] != '\n' {
				p.visible[i] = ' '
			}
		}
	}
}

// note marks the line at offset as plain if only spaces are before it there.
func (p *prose) note(offset int) {
	i := sort.SearchInts(p.starts, offset+1) - 1 // the last line that starts at or before offset
	if len(bytes.TrimLeft(p.source[p.starts[i]:offset], " ")) == 0 {
		p.plain[i] = true
	}
}
