package ledger

import (
	"fmt"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Headline is the state in one short line, for the title of the check run that holds
// the ledger where there is no tracking issue.
func Headline(s *promotion.State) string {
	switch n := len(newView(s, Links{}, time.Time{}).needed()); n {
	case 0:
		return "Nothing waits for anybody"
	case 1:
		return "1 thing needs somebody"
	default:
		return fmt.Sprintf("%d things need somebody", n)
	}
}

// Page is where the ledger of a state stands, for links: the tracking issue, or the
// check run in its place; "": nowhere yet.
func (l Links) Page(s *promotion.State) string {
	switch {
	case s == nil:
		return ""
	case s.Repo.NoIssues:
		return l.Check(s.Repo.FullName(), s.Local.LedgerCheck.ID)
	}
	return l.Issue(s.Repo.FullName(), s.Issue)
}
