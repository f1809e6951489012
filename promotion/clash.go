package promotion

import (
	"slices"
	"strings"
)

// Clash is why an open pull request cannot be merged before a person acts: it
// conflicts with its base in a way that the app must not decide (promise 12).
type Clash struct {
	Head  string   `json:"head"`            // of the pull request, for which this holds
	Text  string   `json:"text"`            // fits into a check run's title
	Files []string `json:"files,omitempty"` // in which people changed what the promotion changes
}

// clashFiles is how many files a sentence names.
const clashFiles = 3

// clashGate holds what conflicts. It is shut for a person, and no merge is tried.
func (c *core) clashGate(r request) []Gate {
	if r.pr == nil || r.pr.Clash == nil {
		return nil
	}
	return []Gate{{Name: GateConflict, Status: GateClosed, Person: true, Text: r.pr.Clash.Text}}
}

// clashOf says why a new edit was not pushed.
func (c *core) clashOf(p *Promotion, r *Redo, why string) *Clash {
	if len(r.Files) > 0 {
		return &Clash{Head: p.PullRequest.Head, Files: r.Files, Text: sentence("Conflicts with %s: a person changed what this changes in %s", p.Plan.Branch, someOf(r.Files))}
	}
	if len(r.Gone) > 0 {
		return &Clash{Head: p.PullRequest.Head, Text: r.whereTheyWent(p.Plan.Branch)}
	}
	return &Clash{Head: p.PullRequest.Head, Text: sentence("The edit could not be made anew on %s, with which %s. %s", p.Plan.Branch, r.Why, why)}
}

// whereTheyWent says that files were moved or deleted on the base that the edit
// writes to, and what helps: steps write to the paths that the pipeline file names.
func (r *Redo) whereTheyWent(base string) string {
	var moved []string
	for _, file := range sortedKeys(r.Gone) {
		if to := r.Gone[file]; to != "" {
			moved = append(moved, sentence("%s (now %s)", file, to))
			continue
		}
		moved = append(moved, file)
	}
	return sentence("%s holds no more %s. Put it back and `/retry`, or name the new path in the pipeline file, `/abort` and promote again", base, someOf(moved))
}

func someOf(files []string) string {
	if len(files) <= clashFiles {
		return strings.Join(files, ", ")
	}
	return sentence("%s and %d more", strings.Join(files[:clashFiles], ", "), len(files)-clashFiles)
}

// takeMergeability takes what GitHub says of merging an open pull request. Its
// word counts for whatever stands there; the app itself only changes its own edit.
func (c *core) takeMergeability(p *Promotion, can Mergeability, merging bool) {
	if !p.pullIsOpen() || p.redoing() {
		return
	}
	base := p.Plan.Branch
	switch {
	case can == MergeConflict && p.holdsOurs() && p.Clash == nil:
		c.wantRedo(p, Redo{Why: "it conflicted"})
	case can == MergeConflict && !p.holdsOurs():
		p.Clash = &Clash{Head: p.PullRequest.Head, Text: sentence("Conflicts with %s: resolve it in the pull request", base)}
	case can == MergeBehind && merging && p.holdsOurs() && p.Clash == nil:
		c.wantRedo(p, Redo{Why: "it had to be up to date"})
	case can == MergeClean:
		p.Clash = nil
	}
}

// Mergeability is what GitHub says of merging a pull request.
type Mergeability string

// The values. The zero value means that GitHub has not worked it out.
const (
	MergeClean    Mergeability = "clean"
	MergeConflict Mergeability = "conflict"
	MergeBehind   Mergeability = "behind" // a rule asks for a head that contains the base's tip
)

// askGitHub has an open pull request read: only GitHub knows whether what people
// pushed there can be merged.
func (c *core) askGitHub(p *Promotion) {
	if p.pullIsOpen() {
		c.own(p).PullRequest.Stale = true
		c.touchOf(p)
	}
}

// redoByHand has the edit made anew because a person says so, over what people
// changed if need be.
func (c *core) redoByHand(p *Promotion) (Verdict, string) {
	if !p.holdsOurs() {
		return VerdictWrong, sentence("Somebody pushed to #%d, and nothing is put over that. Resolve the conflict there, or `/abort`.", p.PullRequest.Number)
	}
	clash := p.Clash
	p = c.own(p)
	p.Redos = 0
	c.wantRedo(p, Redo{Why: "it conflicted", Force: len(clash.Files) > 0})
	return VerdictStarted, ""
}

// clashes reports whether a promotion waits for somebody to decide about a conflict.
func clashes(p *Promotion) bool { return p.Phase.Started() && p.Clash != nil }

// without is the list without one name.
func without(gates []Gate, name string) []Gate {
	return slices.DeleteFunc(slices.Clone(gates), func(g Gate) bool { return g.Name == name })
}
