package page

import (
	"strconv"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

const perPage = 30

// commitLine is a commit in a list.
type commitLine struct {
	ghsim.Commit
	Repo   ghsim.Repo
	Checks checkSum
}

type commitsPage struct {
	place
	Branches []string
	Commits  []commitLine
	Newer    int // page to go back to, 0 for none
	Older    int
}

// commits lists the history of a branch, tag or commit, or of a path in it.
func (v *visit) commits() error {
	at, err := v.place(v.r.PathValue("rest"))
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(v.r.URL.Query().Get("page"))
	if err != nil || n < 1 {
		n = 1
	}
	lines, err := v.commitLines(at.SHA, at.Path, (n-1)*perPage, perPage+1)
	if err != nil {
		return err
	}
	page := commitsPage{place: at, Branches: v.branchNames(), Commits: lines, Newer: n - 1}
	if len(lines) > perPage {
		page.Commits, page.Older = lines[:perPage], n+1
	}
	return v.show("commits", "Commits · "+v.repo.FullName(), "code", page)
}

// commitLines reads a part of a history, with the state of each commit's checks.
func (v *visit) commitLines(ref, path string, skip, limit int) ([]commitLine, error) {
	found, err := v.sim.History(v.repo, ref, path, skip, limit)
	if err != nil {
		return nil, err
	}
	return v.lines(found), nil
}

func (v *visit) lines(found []ghsim.Commit) []commitLine {
	sums := v.checkSums()
	out := make([]commitLine, 0, len(found))
	for _, c := range found {
		out = append(out, commitLine{Commit: c, Repo: v.repo, Checks: sums[c.SHA]})
	}
	return out
}
