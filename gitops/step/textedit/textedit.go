package textedit

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// BOM may stand in front of a text. It stays there.
const BOM = "\ufeff"

// Editable refuses what is no text, in words that say what it is.
func Editable(src []byte) error {
	switch {
	case len(src) > yamledit.MaxSize:
		return fmt.Errorf("the file has %d bytes; files over %d are not edited", len(src), yamledit.MaxSize)
	case bytes.HasPrefix(src, []byte{0xff, 0xfe}), bytes.HasPrefix(src, []byte{0xfe, 0xff}):
		return errors.New("the file is UTF-16 text; save it as UTF-8")
	case bytes.IndexByte(src, 0) >= 0 || !utf8.Valid(src):
		return errors.New("the file is not UTF-8 text")
	}
	return nil
}

// Replace returns src with text in the place of the bytes from start up to end.
func Replace(src []byte, start, end int, text string) []byte {
	out := make([]byte, 0, len(src)-(end-start)+len(text))
	out = append(out, src[:start]...)
	out = append(out, text...)
	return append(out, src[end:]...)
}

// EOL returns the line end that new lines get.
func EOL(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// LineEnd returns where the line that holds the byte at ends, its break not included.
func LineEnd(src []byte, at int) int {
	i := bytes.IndexByte(src[at:], '\n')
	switch {
	case i < 0:
		return len(src)
	case i > 0 && src[at+i-1] == '\r':
		return at + i - 1
	}
	return at + i
}

// Line returns the number of the line that holds the byte at, from 1.
func Line(src []byte, at int) int { return bytes.Count(src[:at], []byte("\n")) + 1 }

// Index reads a list index: digits alone, without leading zeros.
func Index(part string) (int, bool) {
	i, err := strconv.Atoi(part)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == part
}

// Name says a path in a sentence.
func Name(p yamledit.Path) string {
	if len(p) == 0 {
		return "the document"
	}
	return p.String()
}

// maxCandidates bounds the work on a misspelled key in a huge file.
const maxCandidates = 5000

// Missing is the error, ErrMissing of yamledit, for a path that is not there.
// leaves gives the paths of the values that are, until its argument says no.
func Missing(path yamledit.Path, leaves func(func(yamledit.Path) bool)) error {
	want, best, bestCost, seen := path.String(), "", 0, 0
	for leaf := range leaves {
		key := leaf.String()
		cost := yamledit.Distance(want, key)
		sameEnd := len(leaf) > 0 && leaf[len(leaf)-1] == path[len(path)-1]
		if (sameEnd || cost <= max(1, len(want)/3)) && (best == "" || cost < bestCost) {
			best, bestCost = key, cost
		}
		if seen++; seen == maxCandidates {
			break
		}
	}
	if best == "" {
		return fmt.Errorf("%w %s", yamledit.ErrMissing, path)
	}
	return fmt.Errorf("%w %s (nearest: %s)", yamledit.ErrMissing, path, best)
}
