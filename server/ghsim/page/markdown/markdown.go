package markdown

import (
	"bytes"
	"html/template"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// Place is where a text stands: what its links and references are relative to. Functions that are nil know nothing.
type Place struct {
	// Web is the root of the site as texts spell it, without a slash at the end; links below it become paths of this site.
	Web string
	// Repo is owner/name of the repository that #N and bare hashes mean.
	Repo string
	// Base is put before links that are relative to a file, such as /acme/web/blob/main/. Empty: they stay.
	Base string
	// Person says whether a login exists.
	Person func(login string) bool
	// Number gives the kind of page that a number of a repository has: issues, pull, or "" for none.
	Number func(repo string, number int) string
	// Commit gives the whole hash of a commit in a repository by at least 7 digits of it, or "".
	Commit func(repo, abbreviated string) string
	// TaskForm is the id of the form that ticks boxes of task lists, with the field box. Empty: boxes cannot be ticked.
	TaskForm string
}

var (
	files    = newParser()
	comments = newParser(html.WithHardWraps())
)

// bareAddress is an address in running text. The extension's own wants a host that ends in letters, not in a number or port.
var bareAddress = regexp.MustCompile(`^https?://[-A-Za-z0-9.:@_~%\[\]]{1,256}(?:[/#?][-A-Za-z0-9@:%_+.~#$!?&/=();,'^{}\[\]]*)?`)

func newParser(options ...renderer.Option) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, taskList{}, extension.NewLinkify(extension.WithLinkifyURLRegexp(bareAddress)),
		),
		goldmark.WithRendererOptions(append(options, html.WithUnsafe())...), // what is unsafe in it, the policy takes out
	)
}

// Comment renders the text of an issue, pull request, comment or check run, where each line end is a line break.
func Comment(source string, at Place) template.HTML { return render(comments, source, at) }

// File renders a Markdown file.
func File(source string, at Place) template.HTML { return render(files, source, at) }

func render(parser goldmark.Markdown, source string, at Place) template.HTML {
	var raw bytes.Buffer
	doc := parser.Parser().Parse(text.NewReader([]byte(source)))
	word := markTasks(doc)
	if err := parser.Renderer().Render(&raw, []byte(source), doc); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>") //nolint:gosec // escaped in this line
	}
	safe := policy.Sanitize(raw.String())
	return template.HTML(finish(safe, at, word)) //nolint:gosec // the policy's output, balanced
}
