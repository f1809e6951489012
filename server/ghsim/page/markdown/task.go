package markdown

import (
	"crypto/rand"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// taskMark is the attribute of a box that holds the text by which it is found again behind the policy. It begins with a word
// that is made up for each rendering, so that no text can say it.
const taskMark = "mark"

// taskList is the extension's, but for how boxes are written: as their marks.
type taskList struct{}

func (taskList) Extend(m goldmark.Markdown) {
	extension.TaskList.Extend(m)
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(taskList{}, 100)))
}

// RegisterFuncs is what goldmark asks a renderer for.
func (taskList) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(east.KindTaskCheckBox, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if mark, found := n.AttributeString(taskMark); entering && found {
			_, _ = w.WriteString(mark.(string)) // it goes to memory
		}
		return ast.WalkContinue, nil
	})
}

// markTasks numbers the boxes of a document, and gives the word that their marks begin with.
func markTasks(doc ast.Node) (word string) {
	word = rand.Text()
	for n, box := range tasks(doc) {
		box.SetAttributeString(taskMark, fmt.Sprintf("%s%d%s ", word, n, map[bool]string{true: "x", false: "o"}[box.IsChecked]))
	}
	return word
}

// tasks are the boxes of a document, in its order.
func tasks(doc ast.Node) []*east.TaskCheckBox {
	var out []*east.TaskCheckBox
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		if box, is := n.(*east.TaskCheckBox); is && entering {
			out = append(out, box)
		}
		return ast.WalkContinue, nil
	})
	return out
}

// Tick turns over the n-th box of the task lists in a text, counted from 0. ok is false when there is none.
func Tick(source string, n int) (ticked string, ok bool) {
	boxes := tasks(comments.Parser().Parse(text.NewReader([]byte(source))))
	if n < 0 || n >= len(boxes) {
		return source, false
	}
	block := boxes[n].Parent()
	if block == nil || block.Lines().Len() == 0 {
		return source, false
	}
	at := block.Lines().At(0).Start // "[ ] " begins the block
	if at+2 >= len(source) || source[at] != '[' || source[at+2] != ']' {
		return source, false
	}
	sign := "x"
	if boxes[n].IsChecked {
		sign = " "
	}
	return source[:at+1] + sign + source[at+2:], true
}

// tasksIn writes the boxes that are marked in a text, and gives it in pieces between them to plain.
func (f *finisher) tasksIn(escaped string, plain func(string)) {
	for {
		before, rest, found := strings.Cut(escaped, f.word)
		plain(before)
		if !found {
			return
		}
		number, after, _ := strings.Cut(rest, " ")
		f.task(strings.TrimRight(number, "xo"), strings.HasSuffix(number, "x"))
		plain(" ")
		escaped = after
	}
}

// task writes one box: for who may tick it a button of the form that Place names, otherwise the picture of a box.
func (f *finisher) task(number string, checked bool) {
	if _, err := strconv.Atoi(number); err != nil || f.at.TaskForm == "" {
		f.checkbox(map[bool]string{true: " checked"}[checked])
		return
	}
	fmt.Fprintf(&f.out, `<button class="task" form="%s" name="box" value="%s" role="checkbox" aria-checked="%t" title="Tick or untick"></button>`,
		html.EscapeString(f.at.TaskForm), number, checked)
}
