package dashboard

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// markdown writes the texts of package ledger as HTML. What others wrote is escaped in
// them already; here HTML in Markdown is left out, and so is every link that does not
// lead to GitHub, so that a mistake there is none here.
type markdown struct {
	write  goldmark.Markdown
	webURL string
}

func newMarkdown(webURL string) markdown { return markdown{goldmark.New(), webURL} }

// html is one line of Markdown without a paragraph around it.
func (m markdown) html(line string) template.HTML {
	source := []byte(line)
	doc := m.write.Parser().Parse(text.NewReader(source))
	m.tame(doc)
	var out bytes.Buffer
	if err := m.write.Renderer().Render(&out, source, doc); err != nil {
		return template.HTML(template.HTMLEscapeString(line))
	}
	html := strings.TrimSpace(out.String())
	if inner, is := strings.CutPrefix(html, "<p>"); is && strings.Count(html, "<p>") == 1 {
		html = strings.TrimSuffix(inner, "</p>")
	}
	return template.HTML(html) // goldmark's own, which escapes text and leaves HTML out
}

// tame takes links and pictures away that do not lead to GitHub. Their text stays.
func (m markdown) tame(doc ast.Node) {
	var wild []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering && !strings.HasPrefix(string(n.Destination), m.webURL+"/") {
				wild = append(wild, n)
			}
		case *ast.Image, *ast.AutoLink:
			if entering {
				wild = append(wild, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range wild {
		parent := n.Parent()
		for child := n.FirstChild(); child != nil; {
			next := child.NextSibling()
			parent.InsertBefore(parent, n, child)
			child = next
		}
		parent.RemoveChild(parent, n)
	}
}
