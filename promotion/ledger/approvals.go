package ledger

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// approvals names who agreed to p, when and how. A yes to another commit than the
// one that stands now is told apart: it counts no longer.
func approvals(p *promotion.Promotion, links Links, now time.Time, most int) string {
	if len(p.Approvals) == 0 {
		return ""
	}
	shown, hidden := first(p.Approvals, most)
	var parts []string
	for _, yes := range shown {
		text := markDone + " approved by "
		if p.PullRequest != nil && yes.Head != p.PullRequest.Head {
			text = markSkipped + " void, for an earlier commit: "
		}
		text += person(links, yes.By) + " " + when(yes.At, now)
		if yes.Review != 0 {
			text += " (review)"
		}
		parts = append(parts, text)
	}
	if hidden > 0 {
		parts = append(parts, more(hidden))
	}
	return "Approvals: " + strings.Join(parts, " · ")
}

// asked is how many approvals a stage asks for and of whom, or "" when it asks
// for none: "2 approvals from the team `sre` or `hubot`, but not from who asked for it".
func asked(stage *promotion.Stage) string {
	if stage == nil || stage.Gates.Approvals == nil {
		return ""
	}
	a := stage.Gates.Approvals
	text := fmt.Sprint(cmp.Or(a.Count, 1)) + " approval"
	if a.Count > 1 {
		text += "s"
	}
	if of := approvers(a); of != "" {
		text += " " + of
	}
	if a.ExcludeRequester {
		text += ", but not from who asked for it or pushed to it"
	}
	return text
}

// approvers says whose approval counts, or "" where nobody is named: then it is
// whoever may promote there.
func approvers(a *promotion.Approvals) string {
	var of []string
	teams, hidden := first(a.Teams, 10)
	for _, team := range teams {
		of = append(of, "the team "+code(shorten(team, 60)))
	}
	users, rest := first(a.Users, 10)
	for _, user := range users {
		of = append(of, code(shorten(user, 60)))
	}
	if hidden += rest; hidden > 0 {
		of = append(of, more(hidden))
	}
	if len(of) == 0 {
		return ""
	}
	return "from " + strings.Join(of, " or ")
}
