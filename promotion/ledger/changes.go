package ledger

import (
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// changes is the table of changed files.
func (w *writer) changes() string {
	changes := w.t.Promotion.Changes
	if len(changes) == 0 {
		return ""
	}
	shown, hidden := first(changes, maxChanges)
	var rows [][]string
	for _, c := range shown {
		rows = append(rows, []string{code(shorten(c.Path, 200)), change(c)})
	}
	out := table([]string{"changes", ""}, rows)
	if hidden > 0 {
		out += "\n" + more(hidden) + " files.\n"
	}
	return strings.TrimRight(out, "\n")
}

func change(c promotion.Change) string {
	switch {
	case c.Before == "" && c.After == "":
		return Harmless(c.Status)
	case c.Before == "":
		return code(shorten(c.After, 120)) + " added"
	case c.After == "":
		return code(shorten(c.Before, 120)) + " removed"
	}
	return code(shorten(c.Before, 120)) + " → " + code(shorten(c.After, 120))
}

// since links what lies between the old and the new commit of each git source.
func (w *writer) since() string {
	if w.t.Freight == nil {
		return ""
	}
	var lines []string
	shown, _ := first(w.t.Freight.Artifacts, 10)
	for _, a := range shown {
		old, ok := w.earlier(a.Source)
		page := w.links.Compare(a.Repo, old.Commit, a.Commit)
		if ok && page != "" && old.Commit != a.Commit && strings.EqualFold(old.Repo, a.Repo) {
			lines = append(lines, "**Since "+Harmless(shorten(old.Version(), 80))+":** "+md("all commits", page)+lastTitle(a))
		} else if a.Title != "" && (!ok || old.Commit != a.Commit) {
			lines = append(lines, "**"+Harmless(a.Source)+":** "+w.titled(a))
		}
	}
	return strings.Join(lines, "\n")
}

// lastTitle names the last of the commits.
func lastTitle(a promotion.Artifact) string {
	if a.Title == "" {
		return ""
	}
	return ", the last one: *" + Harmless(shorten(a.Title, 120)) + "*"
}

// titled is an artifact's title with its commit.
func (w *writer) titled(a promotion.Artifact) string {
	text := "*" + Harmless(shorten(a.Title, 120)) + "*"
	if a.Commit != "" {
		text += " (" + commit(w.links, a.Repo, a.Commit) + ")"
	}
	return text
}
