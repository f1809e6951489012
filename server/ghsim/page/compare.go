package page

import (
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

type comparePage struct {
	Base, Head string
	Commits    []commitLine
	Diff       diff
}

// compare shows what HEAD has that BASE has not: /compare/BASE...HEAD, or all that differs: BASE..HEAD.
func (v *visit) compare() error {
	base, head, direct, err := v.compared()
	if err != nil {
		return err
	}
	fork, commits, err := v.sim.Between(v.repo, base, head)
	if err != nil {
		return missing("These cannot be compared: %v.", err)
	}
	from := fork
	if direct {
		from = base
	}
	changes, err := v.sim.Diff(v.repo, from, head)
	if err != nil {
		return err
	}
	page := comparePage{Base: base, Head: head, Commits: v.lines(commits), Diff: newDiff(changes, v.repo, head)}
	return v.show("compare", "Comparing "+base+"..."+head+" · "+v.repo.FullName(), "code", page)
}

func (v *visit) compared() (base, head string, direct bool, err error) {
	span := v.r.PathValue("range")
	base, head, found := strings.Cut(span, "...")
	if !found {
		base, head, direct = strings.Cut(span, "..")
	}
	if !found && !direct {
		base, head = v.repo.DefaultBranch, span
	}
	for _, ref := range []string{base, head} {
		if _, known := v.sim.Resolve(v.repo, ref); !known {
			return "", "", false, missing("%s has no branch, tag or commit %s.", v.repo.FullName(), ref)
		}
	}
	return base, head, direct, nil
}

// findIssue looks an issue up by its number.
func findIssue(issues []ghsim.Issue, number int) (ghsim.Issue, bool) {
	for _, i := range issues {
		if i.Number == number {
			return i, true
		}
	}
	return ghsim.Issue{}, false
}
