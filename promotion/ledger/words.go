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
)

// dash stands in an empty cell.
const dash = "–"

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
	if needsPerson(p) {
		return markPerson + " waiting"
	}
	return phaseMarks[p.Phase] + " " + Harmless(string(p.Phase))
}

// needsPerson reports whether p waits for somebody to merge or close its pull request.
func needsPerson(p *promotion.Promotion) bool {
	return p.Phase == promotion.PhaseWaiting && p.PullRequest != nil && p.PullRequest.State == "open"
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

// lasted writes how long it was between two times: "4 s", "2 h 14 min", "3 d 1 h".
// It is empty when that is not known.
func lasted(from, to time.Time) string {
	if from.IsZero() || to.Before(from) {
		return ""
	}
	d := to.Sub(from).Round(time.Second)
	units := []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	var parts []string
	for i, u := range units {
		if n := d / u.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, u.name))
			if i+1 < len(units) {
				if rest := d % u.size / units[i+1].size; rest > 0 {
					parts = append(parts, fmt.Sprintf("%d %s", rest, units[i+1].name))
				}
			}
			break
		}
	}
	if len(parts) == 0 {
		return "0 s"
	}
	return strings.Join(parts, " ")
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
