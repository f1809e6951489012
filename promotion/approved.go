package promotion

import (
	"strconv"
	"strings"
	"time"
)

// word is an approval as the check run on what was approved says it, so that nobody is
// asked again when all else is lost: LOGIN@SECONDS[/REVIEW][:TEAM,TEAM], the time since
// 1970. None of these holds a space.
func (a Approval) word() string {
	text := a.By + "@" + strconv.FormatInt(a.At.Unix(), 10)
	if a.Review != 0 {
		text += "/" + strconv.FormatInt(a.Review, 10)
	}
	if len(a.Teams) > 0 {
		text += ":" + strings.Join(a.Teams, ",")
	}
	return text
}

// approvalOf reads what word wrote.
func approvalOf(word string) (a Approval, ok bool) {
	said, teams, inTeams := strings.Cut(word, ":")
	if inTeams {
		a.Teams = strings.Split(teams, ",")
	}
	by, at, ok := strings.Cut(said, "@")
	at, review, reviewed := strings.Cut(at, "/")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if reviewed && err == nil {
		a.Review, err = strconv.ParseInt(review, 10, 64)
	}
	a.By, a.At = by, time.Unix(seconds, 0).UTC()
	return a, ok && by != "" && err == nil
}

// mostApproved bounds what a check run says of approvals.
const mostApproved = 20

// approvedWords are the approvals of what stands in the pull request now, the last ones,
// in an order that does not change.
func (p *Promotion) approvedWords() []string {
	var out []string
	for _, a := range p.Approvals {
		if a.Head == p.content() {
			out = append(out, a.word())
		}
	}
	return out[max(0, len(out)-mostApproved):]
}

// approvedBefore takes what the check run on a commit said of approvals, where the
// record of them is lost. One that was taken back since says so when that is heard of.
func (c *core) approvedBefore(p *Promotion, sha string, words []string) {
	if !p.Recalls || p.PullRequest == nil || p.PullRequest.Head != sha {
		return
	}
	c.own(p).Recalls = false
	for _, word := range words {
		if yes, ok := approvalOf(word); ok {
			yes.Head = sha
			c.addApproval(c.promotion(p.Name), yes)
		}
	}
}

// Review is a review of a promotion's pull request, as a look at it shows it.
type Review struct {
	Reviewed
	At time.Time // when it was submitted
}

// askReviews has the reviews of an open pull request read: an approving one that came to
// a store which is lost comes no second time.
func (c *core) askReviews(p *Promotion) {
	if p.PullRequest != nil && c.asksApproval(p) {
		c.effect(Effect{ID: "reviews/" + p.Name, Kind: KindReviews, Pipeline: p.Pipeline, Promotion: p.Name, Number: p.PullRequest.Number})
	}
}
