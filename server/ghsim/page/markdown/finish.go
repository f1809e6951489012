package markdown

import (
	"html"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/flowchart"
)

// finisher goes once over sanitised HTML, whose texts and attribute values have no bare < or >. It balances the elements,
// draws flowcharts and makes the links that GitHub makes.
type finisher struct {
	at    Place
	word  string // that the marks of task boxes begin with
	out   strings.Builder
	stack []string
}

func finish(safe string, at Place, word string) string {
	f := &finisher{at: at, word: word}
	for safe != "" {
		safe = f.next(safe)
	}
	for range slices.Backward(f.stack) {
		f.pop()
	}
	return f.out.String()
}

// next handles one text or tag, and gives what is left.
func (f *finisher) next(rest string) string {
	if rest[0] != '<' {
		text, after := split(rest, strings.IndexByte(rest, '<'))
		f.text(text)
		return after
	}
	if after, drawn := f.chart(rest); drawn {
		return after
	}
	tag, after := split(rest, strings.IndexByte(rest, '>')+1)
	name, closing := tagName(tag)
	switch {
	case name == "":
		// no tag that the policy writes
	case closing:
		f.end(name)
	case name == "input":
		f.checkbox(tag)
	case name == "a":
		return f.anchor(tag, after)
	default:
		f.out.WriteString(tag)
		if !void[name] && !strings.HasSuffix(tag, "/>") {
			f.stack = append(f.stack, name)
		}
	}
	return after
}

var void = map[string]bool{"br": true, "hr": true, "img": true, "wbr": true}

// split cuts at an index; one that is out of range takes all, so that there is always progress.
func split(text string, at int) (string, string) {
	if at <= 0 || at > len(text) {
		return text, ""
	}
	return text[:at], text[at:]
}

func tagName(tag string) (name string, closing bool) {
	name = strings.Trim(tag, "<>")
	name, closing = strings.CutPrefix(name, "/")
	name, _, _ = strings.Cut(name, " ")
	return strings.ToLower(strings.TrimSuffix(name, "/")), closing
}

// end closes an element and those still open inside it; one that was never opened is dropped.
func (f *finisher) end(name string) {
	if !slices.Contains(f.stack, name) {
		return
	}
	for f.stack[len(f.stack)-1] != name {
		f.pop()
	}
	f.pop()
}

func (f *finisher) pop() {
	last := f.stack[len(f.stack)-1]
	f.stack = f.stack[:len(f.stack)-1]
	f.out.WriteString("</" + last + ">")
}

// checkbox writes the box of a task list, whatever kind of input was asked for.
func (f *finisher) checkbox(tag string) {
	f.out.WriteString(`<input type="checkbox" disabled`)
	if strings.Contains(tag, " checked") {
		f.out.WriteString(" checked")
	}
	f.out.WriteString(">")
}

const chartStart, chartEnd = `<pre><code class="language-mermaid">`, `</code></pre>`

// chart draws a Mermaid block as a picture. One that is unknown is left to be shown as code.
func (f *finisher) chart(rest string) (after string, drawn bool) {
	body, is := strings.CutPrefix(rest, chartStart)
	if !is {
		return rest, false
	}
	source, after, ended := strings.Cut(body, chartEnd)
	if !ended || strings.Contains(source, "<") {
		return rest, false
	}
	svg, err := flowchart.SVG(html.UnescapeString(source))
	if err != nil {
		return rest, false
	}
	f.out.WriteString(`<div class="chart-frame" tabindex="0" role="group" aria-label="Diagram">` + svg + `</div>`)
	return after, true
}

// text writes text with references as links, unless it stands in a link or in code.
func (f *finisher) text(escaped string) {
	for _, name := range f.stack {
		if name == "a" || name == "code" || name == "pre" || name == "tt" || name == "samp" {
			f.tasksIn(escaped, func(part string) { f.out.WriteString(part) })
			return
		}
	}
	f.tasksIn(escaped, func(part string) { f.out.WriteString(f.at.linked(html.UnescapeString(part))) })
}
