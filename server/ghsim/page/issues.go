package page

import (
	"net/http"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

type issuesPage struct {
	Pulls        bool // pull requests, not issues
	Closed       bool // the closed ones are listed
	Open, Shut   int
	Rows         []issueRow
	AddressOfAll string
}

// issueRow is an issue or pull request in a list.
type issueRow struct {
	ghsim.Issue
	Repo   ghsim.Repo
	State  string // open, closed, merged, draft
	Checks checkSum
	Branch string
}

func (v *visit) issues() error {
	var rows []issueRow
	for _, i := range v.sim.Issues(v.repo) {
		rows = append(rows, issueRow{Issue: i, Repo: v.repo, State: i.State})
	}
	return v.showRows(rows, false)
}

func (v *visit) pulls() error {
	sums := v.checkSums()
	var rows []issueRow
	for _, p := range v.sim.PullRequests(v.repo) {
		rows = append(rows, issueRow{Issue: p.Issue, Repo: v.repo, State: pullState(p), Checks: sums[p.HeadSHA], Branch: p.Head})
	}
	return v.showRows(rows, true)
}

// showRows lists the open ones, or with ?state=closed the others, newest first.
func (v *visit) showRows(rows []issueRow, pulls bool) error {
	page := issuesPage{Pulls: pulls, Closed: v.r.URL.Query().Get("state") == "closed"}
	for _, row := range slices.Backward(rows) {
		isClosed := row.Issue.State != "open"
		if isClosed {
			page.Shut++
		} else {
			page.Open++
		}
		if isClosed == page.Closed {
			page.Rows = append(page.Rows, row)
		}
	}
	tab, name := "issues", "Issues"
	if pulls {
		tab, name = "pulls", "Pull requests"
	}
	page.AddressOfAll = v.at(tab)
	return v.show("issues", name+" · "+v.repo.FullName(), tab, page)
}

func pullState(p ghsim.PullRequest) string {
	switch {
	case p.Merged:
		return "merged"
	case p.State == "closed":
		return "closed"
	case p.Draft:
		return "draft"
	}
	return "open"
}

type newIssuePage struct{ Title, Text string }

func (v *visit) newIssue() error {
	return v.show("newissue", "New issue · "+v.repo.FullName(), "issues", newIssuePage{})
}

func (v *visit) createIssue() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	page := newIssuePage{Title: strings.TrimSpace(v.r.PostForm.Get("title")), Text: lineEnds(v.r.PostForm.Get("text"), "")}
	number, err := me.CreateIssue(v.repo, page.Title, page.Text)
	if err != nil {
		v.notice = &notice{Bad: true, Text: reason(err)}
		return v.showStatus(http.StatusUnprocessableEntity, "newissue", "New issue · "+v.repo.FullName(), "issues", page)
	}
	return v.goTo(v.numbered("issues", number))
}
