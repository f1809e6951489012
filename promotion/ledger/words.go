package ledger

import (
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// The marks: one for each state, always the same, always with its word beside it.
const (
	markDone    = "✅"
	markRunning = "🔄"
	markBad     = "❌"
	markSkipped = "⏭️"
	markWaiting = "⏳"
	markPerson  = "✋"
	markFrozen  = "❄️"
	markBack    = "↩️"
)

const (
	dash     = "–"      // stands in an empty cell
	unbroken = "\u00a0" // a space at which no line ends
)

var phaseMarks = map[promotion.Phase]string{
	promotion.PhaseQueued:     markWaiting,
	promotion.PhaseRunning:    markRunning,
	promotion.PhaseWaiting:    markWaiting,
	promotion.PhaseSucceeded:  markDone,
	promotion.PhaseFailed:     markBad,
	promotion.PhaseErrored:    markBad,
	promotion.PhaseAborted:    markBad,
	promotion.PhaseRejected:   markBad,
	promotion.PhaseSuperseded: markSkipped,
}

// phase is a promotion's mark and word.
func phase(p *promotion.Promotion) string {
	return strings.TrimLeft(phaseMark(p)+" "+Harmless(phaseWord(p)), " ")
}

func phaseWord(p *promotion.Promotion) string {
	held := holding(p)
	switch {
	case verifying(p):
		return "verifying"
	case len(held) > 0 && foremost(held).Name == promotion.GateFreeze:
		return "frozen"
	}
	return string(p.Phase)
}

// when writes a time in UTC, with the year unless now is in the same one. A zero
// now writes every year.
func when(t, now time.Time) string {
	if t.IsZero() {
		return dash
	}
	t = t.UTC()
	if t.Year() == now.UTC().Year() {
		return t.Format("2 Jan 15:04 UTC")
	}
	return t.Format("2 Jan 2006 15:04 UTC")
}

// told is a promotion's phase and why, without the mark: the core's sentences
// often begin with the phase's word already.
func told(p *promotion.Promotion, most int) string {
	word, why := string(p.Phase), sentence(shorten(p.Message, most))
	switch {
	case why == "":
		return Harmless(word)
	case len(why) >= len(word) && strings.EqualFold(why[:len(word)], word):
		return Harmless(word) + why[len(word):]
	}
	return Harmless(word) + ": " + why
}

// moment is when for a narrow cell: the line may end between day and hour alone.
func moment(t, now time.Time) string {
	words := strings.Split(when(t, now), " ")
	if len(words) < 3 {
		return words[0]
	}
	hour := len(words) - 2
	return strings.Join(words[:hour], unbroken) + " " + strings.Join(words[hour:], unbroken)
}

// since is " since 30 Nov 09:12 UTC", or "" for an unknown time.
func since(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " since " + when(t, now)
}

// until is " until 30 Nov 18:00 UTC", or "" for what has no end.
func until(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " until " + when(t, now)
}

// short abbreviates a commit or an ID for people.
func short(sha string) string {
	if len(sha) > 7 {
		return sha[:7]
	}
	return sha
}

// more says how many of a list are not shown, or "".
func more(hidden int) string {
	if hidden <= 0 {
		return ""
	}
	return fmt.Sprintf("… and %d more", hidden)
}

// first gives at most n of a list, and how many that leaves out.
func first[T any](list []T, n int) (shown []T, hidden int) {
	if len(list) <= n {
		return list, 0
	}
	return list[:n], len(list) - n
}
