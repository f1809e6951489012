package gitops

import (
	"strings"

	"github.com/go-git/go-git/v5/utils/diff"
)

// hunk is a run of lines of one text that stand otherwise in another one.
type hunk struct {
	from, to int    // lines from (included) to (not included); equal: lines were added there
	text     string // what stands there in the other text
}

// hunks are the differences of two texts, by lines, in their order.
func hunks(before, after []byte) []hunk {
	var out []hunk
	var open *hunk
	line := 0
	for _, d := range diff.Do(string(before), string(after)) {
		if d.Type == 0 {
			line, open = line+countLines(d.Text), nil
			continue
		}
		if open == nil {
			out = append(out, hunk{from: line, to: line})
			open = &out[len(out)-1]
		}
		if d.Type > 0 {
			open.text += d.Text
			continue
		}
		line += countLines(d.Text)
		open.to = line
	}
	return out
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// overlap reports whether two lists of differences from the same text meet: they
// change the same lines, or lines with none between them, and not in the same way.
func overlap(a, b []hunk) bool {
	for _, x := range a {
		for _, y := range b {
			if x.from <= y.to && y.from <= x.to && x != y {
				return true
			}
		}
	}
	return false
}
