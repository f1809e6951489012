package overhear

import (
	"fmt"
	"strings"
)

// The bounds of what is kept of a library's warnings.
const (
	mostTold  = 3 // in a message
	mostBytes = 200
	mostKept  = 1000
)

// Warnings are what a library said, each once. The zero value holds none.
type Warnings struct{ list []warning }

// warning is a text, and the file that it is about; empty: it is not known which.
type warning struct{ of, text string }

// Add takes up a text about a file, or about nothing that is known by name.
func (w *Warnings) Add(of, text string) {
	text = Shorten(text)
	for _, prefix := range []string{"Warning: ", "warning: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	for _, said := range w.list {
		if said == (warning{of, text}) {
			return
		}
	}
	if len(w.list) < mostKept {
		w.list = append(w.list, warning{of, text})
	}
}

// Listen takes up all that the calling goroutine writes to the log, until it calls stop.
func (w *Warnings) Listen() (stop func()) {
	return Listen(func(text string, _ bool) { w.Add("", text) })
}

// Any reports whether there are some.
func (w *Warnings) Any() bool { return len(w.list) > 0 }

// Told is the end of a message: what a library warns of, with a blank before each
// sentence. Without warnings it is empty.
func (w *Warnings) Told(library string) string {
	var out strings.Builder
	for i, said := range w.list {
		if i == mostTold {
			fmt.Fprintf(&out, " There are %d more warnings.", len(w.list)-i)
			break
		}
		if said.of != "" {
			said.of = " of " + said.of
		}
		fmt.Fprintf(&out, " %s warns%s: %s.", library, said.of, strings.TrimSuffix(said.text, "."))
	}
	return out.String()
}

// Shorten puts a text on one line that is not too long for a message.
func Shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > mostBytes {
		text = strings.ToValidUTF8(text[:mostBytes], "") + "…"
	}
	return text
}
