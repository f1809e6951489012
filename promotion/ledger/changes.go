package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// changes is the table of changed files.
func (w *writer) changes() string {
	if len(w.t.Promotion.Changes) == 0 {
		return ""
	}
	return changeTable(w.t.Promotion.Changes)
}

// changeTable shows each file with what happens to it.
func changeTable(changes []promotion.Change) string {
	shown, hidden := first(changes, maxChanges)
	var rows [][]string
	for _, c := range shown {
		rows = append(rows, []string{code(shorten(c.Path, 200)), change(c)})
	}
	out := table([]string{diffStat(changes), ""}, rows)
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

// since lists, for each git source, what came between what the stage held and
// what it gets, or what a way back takes away.
func (w *writer) since() string {
	if w.t.Freight == nil {
		return ""
	}
	var parts []string
	shown, _ := first(w.t.Freight.Artifacts, 10)
	for _, a := range shown {
		old, ok := w.earlier(a.Source)
		switch {
		case ok && exact(old) == exact(a):
		case ok && strings.EqualFold(old.Repo, a.Repo) && w.t.Freight.Number < w.t.Before.Number:
			parts = append(parts, w.between("**Takes back:** ", a, old))
		case ok && strings.EqualFold(old.Repo, a.Repo):
			parts = append(parts, w.between("**Since "+Harmless(shorten(old.Version(), 80))+":** ", old, a))
		case a.Title != "":
			parts = append(parts, "**"+Harmless(a.Source)+":** "+w.titled(a))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
}

// between lists the artifacts of a source after one up to another, the newest
// first, and links all of their commits.
func (w *writer) between(heading string, from, to promotion.Artifact) string {
	var parts []string
	if page := w.compare(from, to); page != "" {
		parts = append(parts, md("all commits", page))
	}
	brought := w.brought(from, to)
	if len(brought) == 1 {
		parts = append(parts, w.titled(brought[0]))
	}
	if len(parts) == 0 && len(brought) == 0 {
		return ""
	}
	out := heading + strings.Join(parts, ": ")
	if len(brought) < 2 {
		return out
	}
	shown, hidden := first(brought, maxBrought)
	for _, a := range shown {
		out += "\n- " + w.titled(a)
	}
	if hidden > 0 {
		out += "\n- " + more(hidden)
	}
	return out
}

// exact tells the artifacts of one source apart.
func exact(a promotion.Artifact) string { return a.Tag + " " + a.Commit + " " + a.Digest }

// origin is the commit of an artifact and its repository on this GitHub: of an image or
// chart those that it says it was built from. It is empty where there is none.
func (w *writer) origin(a promotion.Artifact) (repo, sha string) {
	if a.Commit != "" {
		return a.Repo, a.Commit
	}
	repo, here := strings.CutPrefix(strings.TrimSuffix(strings.TrimSuffix(a.From, "/"), ".git"), w.links.WebURL+"/")
	if !here || w.links.Repo(repo) == "" || !isCommit.MatchString(a.Revision) {
		return "", ""
	}
	return repo, a.Revision
}

// compare is the page of what lies between two artifacts, if they are of one repository.
func (w *writer) compare(from, to promotion.Artifact) string {
	old, before := w.origin(from)
	repo, after := w.origin(to)
	if before == after || !strings.EqualFold(old, repo) {
		return ""
	}
	return w.links.Compare(repo, before, after)
}

// brought are the artifacts that are known from after one to another, the newest
// first: one for each push, and not for each of its commits. What has no title says
// nothing that the commits do not.
func (w *writer) brought(from, to promotion.Artifact) []promotion.Artifact {
	all := []promotion.Artifact{to}
	if state := stateOf(w.t); state != nil && w.t.Before != nil {
		low, high := min(w.t.Before.Number, w.t.Freight.Number), max(w.t.Before.Number, w.t.Freight.Number)
		for _, f := range slices.Backward(state.Freight) {
			if a, ok := f.Artifact(to.Source); ok && f.Number > low && f.Number < high {
				all = append(all, a)
			}
		}
	}
	seen := map[string]bool{exact(from): true}
	return slices.DeleteFunc(all, func(a promotion.Artifact) bool {
		again := seen[exact(a)]
		seen[exact(a)] = true
		return again || a.Title == "" || !strings.EqualFold(a.Repo, to.Repo)
	})
}

// titled is an artifact's title with its commit and the pull request that brought
// it, which GitHub has put at the end of the title of a squash.
func (w *writer) titled(a promotion.Artifact) string {
	title, where := a.Title, []string(nil)
	if repo, sha := w.origin(a); sha != "" {
		where = append(where, commit(w.links, repo, sha))
	}
	if a.PullRequest > 0 && isName.MatchString(a.Repo) {
		title = strings.TrimSuffix(title, fmt.Sprintf(" (#%d)", a.PullRequest))
		where = append(where, w.numberIn(a.Repo, a.PullRequest))
	}
	text := "*" + Harmless(shorten(title, 120)) + "*"
	if len(where) == 0 {
		return text
	}
	return text + " (" + strings.Join(where, ", ") + ")"
}

// numberIn is a pull request, of whatever repository, with its link.
func (w *writer) numberIn(repo string, n int) string {
	if strings.EqualFold(repo, w.repo()) {
		return number(w.links, repo, n)
	}
	return md(Harmless(fmt.Sprintf("%s#%d", repo, n)), w.links.PullRequest(repo, n))
}

// diffStat counts the changed files by what became of them: "3 files: 2 modified, 1 added".
func diffStat(changes []promotion.Change) string {
	counts, order := map[string]int{}, []string{}
	for _, c := range changes {
		if counts[c.Status]++; counts[c.Status] == 1 {
			order = append(order, c.Status)
		}
	}
	if len(changes) == 1 {
		return "1 file " + Harmless(shorten(changes[0].Status, 40))
	}
	parts, hidden := first(order, 5)
	parts = slices.Clone(parts)
	for i, status := range parts {
		parts[i] = fmt.Sprintf("%d %s", counts[status], Harmless(shorten(status, 40)))
	}
	if hidden > 0 {
		parts = append(parts, more(hidden))
	}
	return fmt.Sprintf("%d files: %s", len(changes), strings.Join(parts, ", "))
}

// Changes is the table of what a promotion changes, as PullRequest shows it; ""
// when nothing is known of that.
func Changes(t promotion.Task) string {
	if t.Promotion == nil {
		return ""
	}
	return (&writer{t: t}).changes()
}
