package promotion

import (
	"fmt"
	"strings"
)

// CheckMark stands hidden in the summary of each of our check runs: what it was drawn
// of. GitHub sends the summary along when somebody presses a button.
type CheckMark struct {
	Revision int64    // of the ledger
	Writer   string   // the store, see Local.Writer; "": it has no name
	Heard    []string // see Check.Heard
	Approved []string // see Check.Approved
}

const (
	markOpen  = "<!-- stagecoach check: "
	markClose = " -->"
)

// Mark is the mark of a check run.
func (k *Check) Mark() CheckMark { return CheckMark{k.Revision, k.Writer, k.Heard, k.Approved} }

// String is the mark as it stands in a summary.
func (m CheckMark) String() string {
	text := fmt.Sprintf("%sledger revision %d", markOpen, m.Revision)
	if m.Writer != "" {
		text += "; store " + m.Writer
	}
	if len(m.Heard) > 0 {
		text += "; heard " + strings.Join(m.Heard, " ")
	}
	if len(m.Approved) > 0 {
		text += "; approved " + strings.Join(m.Approved, " ")
	}
	return text + markClose
}

// ParseCheckMark reads the last mark in a summary; without one it is zero.
func ParseCheckMark(summary string) (m CheckMark) {
	at := strings.LastIndex(summary, markOpen)
	if at < 0 {
		return m
	}
	text, _, whole := strings.Cut(summary[at+len(markOpen):], markClose)
	if !whole {
		return m
	}
	for part := range strings.SplitSeq(text, "; ") {
		switch word, rest, _ := strings.Cut(part, " "); word {
		case "ledger":
			_, _ = fmt.Sscanf(rest, "revision %d", &m.Revision)
		case "store":
			m.Writer = rest
		case "heard":
			m.Heard = strings.Fields(rest)
		case "approved":
			m.Approved = strings.Fields(rest)
		}
	}
	return m
}
