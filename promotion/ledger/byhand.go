package ledger

import (
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// maxByHand is how many files the text of a pull request names.
const maxByHand = 10

// byHand says which of the files that a promotion changes somebody changed by hand
// since the last one landed: what they wrote there goes.
func (w *writer) byHand() string {
	p := w.t.Promotion
	drift := w.pipe.stage(p.Stage).Drift
	if drift == nil {
		return ""
	}
	files := slices.DeleteFunc(slices.Clone(drift.Files), func(file string) bool {
		return !slices.ContainsFunc(p.Changes, func(c promotion.Change) bool { return c.Path == file })
	})
	if len(files) == 0 {
		return ""
	}
	shown, hidden := first(files, maxByHand)
	names := make([]string, len(shown))
	for i, file := range shown {
		names[i] = code(shorten(file, 200))
	}
	if hidden > 0 {
		names = append(names, more(hidden))
	}
	by := ""
	if drift.By != "" {
		by = " by " + person(w.links, drift.By)
	}
	return markPerson + " **Changed by hand** since the last promotion, in " + strings.Join(names, ", ") + ": seen with " +
		commit(w.links, w.repo(), drift.Commit) + by + ". This puts its own values in place of theirs."
}
