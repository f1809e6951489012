package ghsim

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

func listIssues(c *call) reply {
	if c.repo.noIssues {
		return fail(http.StatusGone, "Issues has been disabled in this repository.")
	}
	var found []*issue
	for _, i := range c.repo.issues {
		if c.listed(i) {
			found = append(found, i)
		}
	}
	sortIssues(found, c.query("sort"), c.query("direction"))
	return list(c, found, c.issueJSON)
}

// listed applies the filters of the list: state, labels (all of them), creator and since.
func (c *call) listed(i *issue) bool {
	state := c.query("state")
	if state == "" {
		state = "open"
	}
	if state != "all" && i.state != state {
		return false
	}
	for _, name := range strings.Split(c.query("labels"), ",") {
		if name != "" && !i.hasLabel(name) {
			return false
		}
	}
	if creator := c.query("creator"); creator != "" && !strings.EqualFold(creator, i.user.login) {
		return false
	}
	since, err := time.Parse(time.RFC3339, c.query("since"))
	return err != nil || !i.updated.Before(since)
}

func sortIssues(found []*issue, by, direction string) {
	slices.SortFunc(found, func(a, b *issue) int {
		order := b.number - a.number
		if by == "updated" && !a.updated.Equal(b.updated) {
			order = b.updated.Compare(a.updated)
		}
		if by == "comments" && len(a.comments) != len(b.comments) {
			order = len(b.comments) - len(a.comments)
		}
		if direction == "asc" {
			return -order
		}
		return order
	})
}
