package kustomize

import (
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
)

// warning is something that Kustomize says of a file, or of a build.
type warning struct{ of, text string }

// deprecated notes what Kustomize would say on standard error.
func (t *tree) deprecated(found at, k *types.Kustomization) {
	said := k.CheckDeprecatedFields()
	if said == nil {
		return
	}
	for _, text := range *said {
		text = strings.TrimPrefix(text, "# Warning: ")
		text, _, _ = strings.Cut(text, " Run 'kustomize edit fix'") // there is no such program here
		t.warnings = append(t.warnings, warning{found.String(), text})
	}
}

// mostWarnings is how many warnings a message holds.
const mostWarnings = 3

// said is the end of a message: what Kustomize warns of.
func (t *tree) said() string {
	var out strings.Builder
	seen := map[warning]bool{}
	for _, w := range t.warnings {
		if seen[w] {
			continue
		}
		if seen[w] = true; len(seen) > mostWarnings {
			continue
		}
		fmt.Fprintf(&out, " Kustomize warns of %s: %s", w.of, strings.TrimSuffix(shorten(w.text), "."))
		out.WriteString(".")
	}
	if more := len(seen) - mostWarnings; more > 0 {
		fmt.Fprintf(&out, " There are %d more warnings.", more)
	}
	return out.String()
}

func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return text
}

// listen takes up what the library writes to the log and to standard error, until
// the function that it returns is called. Only one build runs at a time.
func (t *tree) listen() (stop func()) {
	before := log.Writer()
	log.SetOutput(&ear{tree: t, next: before})
	unhush := func() {}
	if len(t.warnings) > 0 { // then the library would write them to the terminal as well
		unhush = hush()
	}
	return func() {
		unhush()
		log.SetOutput(before)
	}
}

// hush has standard error lead nowhere. The library prints to the variable, and asks
// nobody; nothing else of this program does so while it serves.
func hush() func() {
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return func() {}
	}
	before := os.Stderr
	os.Stderr = nowhere
	return func() {
		os.Stderr = before
		_ = nowhere.Close()
	}
}

// ear is a log that tells the library's lines from those of others.
type ear struct {
	tree *tree
	next io.Writer
}

// gaveUp is what log.Fatal of the library becomes: it would end the process.
type gaveUp string

// Write implements io.Writer. It panics where the library is about to end the process.
func (e *ear) Write(line []byte) (int, error) {
	library, fatal := callers()
	if !library {
		return e.next.Write(line)
	}
	text := strings.TrimSpace(string(line))
	if log.Flags() == log.LstdFlags && len(text) > len("2006/01/02 15:04:05 ") {
		text = text[len("2006/01/02 15:04:05 "):]
	}
	if fatal {
		panic(gaveUp(text))
	}
	e.tree.warnings = append(e.tree.warnings, warning{"this build", strings.TrimPrefix(text, "Warning: ")})
	return len(line), nil
}

// callers reports whether the library is among those who write, and whether it does
// so to end the process.
func callers() (library, fatal bool) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		fatal = fatal || strings.HasPrefix(f.Function, "log.Fatal")
		library = library || strings.HasPrefix(f.Function, "sigs.k8s.io/kustomize/")
		if library || !more {
			return library, fatal && library
		}
	}
}
