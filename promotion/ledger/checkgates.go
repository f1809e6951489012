package ledger

import (
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const maxCheckGates = 20

// gateTable shows each gate, how it stands and what it says, and who agreed.
func (w *writer) gateTable() string {
	p := w.t.Promotion
	passed := strings.Join(w.pipe.passed(p, w.now), " · ")
	if len(p.Gates) == 0 {
		return boldly("Gates:", passed)
	}
	var rows [][]string
	shown, hidden := first(p.Gates, maxCheckGates)
	if passed != "" {
		rows = append(rows, []string{promotion.GateAfter, markDone + " open", strings.ReplaceAll(passed, markDone+" ", "")})
	}
	for _, g := range shown {
		rows = append(rows, []string{Harmless(shorten(g.Name, 40)), gateWord(g, p.Phase.Terminal()), gateText(g, w.now, maxMessage)})
	}
	out := strings.TrimRight(table([]string{"gate", "state", ""}, rows), "\n")
	if hidden > 0 {
		out += "\n\n" + more(hidden) + " gates."
	}
	if yes := approvals(p, w.links, w.now, 20); yes != "" {
		out += "\n\n" + yes
	}
	return out
}

// gateWord is how a gate stands, in a mark and a word; over: how it stood when
// the promotion ended.
func gateWord(g promotion.Gate, over bool) string {
	word := Harmless(shorten(string(g.Status), 20))
	if over && g.Status != promotion.GateOpen {
		return markBad + " not open"
	}
	switch gateMark(g) {
	case markPerson:
		word = "needs somebody"
	case markFrozen:
		word = "frozen"
	case markWaiting:
		word = "waiting"
	}
	return gateMark(g) + " " + word
}

// boldly is text behind a bold word, or "" without text.
func boldly(word, text string) string {
	if text == "" {
		return ""
	}
	return "**" + word + "** " + text
}
