package ghsim

import (
	"fmt"
	"slices"
)

// MergeMethods lists those of merge, squash and rebase that the repository allows, its preferred one first.
func (s *Sim) MergeMethods(repo Repo) []string {
	var out []string
	s.look(repo, func(r *repository) { out = slices.Clone(r.methods) })
	return out
}

// Mergeable says whether a pull request is open and merges without conflict.
func (s *Sim) Mergeable(repo Repo, number int) (clean bool, err error) {
	err = fmt.Errorf("%s has no pull request #%d", repo.FullName(), number)
	s.look(repo, func(r *repository) {
		i := r.issues[number]
		if i == nil || i.pull == nil {
			return
		}
		err = s.testMerge(i)
		clean = err == nil && i.state == "open" && i.pull.test != nil && i.pull.test.clean
	})
	return clean, err
}

// Span gives the commits between which a pull request's own changes lie: where its head left the base, and the head.
func (s *Sim) Span(repo Repo, number int) (from, to string, found bool) {
	s.look(repo, func(r *repository) {
		if i := r.issues[number]; i != nil && i.pull != nil {
			from, to, found = i.pull.forkPoint, i.pull.headSHA, true
		}
	})
	return from, to, found
}
