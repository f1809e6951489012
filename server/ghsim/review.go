package ghsim

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Review is a review of a pull request.
type Review struct {
	ID int64
	// Author is a login. State is APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, or PENDING while its author alone sees it.
	Author, State, Body string
	// Commit was the head when it was written; it stays when the head moves.
	Commit    string
	Submitted time.Time
}

func reviewRoutes() []route {
	const all = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"
	return []route{
		{pattern: "GET " + all, docs: "pulls/reviews#list-reviews-for-a-pull-request", needs: "pull_requests=read", role: roleRead, run: withPull(listReviews)},
		{pattern: "POST " + all, docs: "pulls/reviews#create-a-review-for-a-pull-request", needs: "pull_requests=write", role: roleRead, run: withPull(createReview)},
		{pattern: "PUT " + all + "/{review_id}/dismissals", docs: "pulls/reviews#dismiss-a-review-for-a-pull-request", needs: "pull_requests=write",
			role: roleWrite, run: withPull(dismissReview)},
	}
}

type reviewInput struct {
	CommitID string `json:"commit_id"`
	Body     string `json:"body"`
	Event    string `json:"event"`
}

// reviewStates are the states by the events that lead to them.
var reviewStates = map[string]string{"": "PENDING", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}

func createReview(c *call, i *issue) reply {
	var in reviewInput
	if !c.decode(&in) {
		return badJSON()
	}
	if problem := c.refuseReview(i, in); problem != "" {
		return unprocessable(problem)
	}
	review := &Review{
		ID: c.nextID(), Author: c.who.actor().login, State: reviewStates[in.Event], Body: in.Body,
		Commit: cmp.Or(in.CommitID, i.pull.headSHA), Submitted: c.now,
	}
	i.pull.reviews = append(i.pull.reviews, review)
	if review.State != "PENDING" {
		i.updated = c.now
		c.answered(i.pull, c.who.actor())
		c.emitReview(i, review, "submitted", c.who.actor())
	}
	return ok(c.reviewJSON(i, review))
}

// unprocessable is the 422 of the review routes, whose errors are plain texts.
func unprocessable(problem string) reply {
	return reply{status: http.StatusUnprocessableEntity, body: obj{"message": "Unprocessable Entity", "errors": []string{problem}, "status": "422"}}
}

// refuseReview gives GitHub's reason not to take a review, "" for none. Nobody judges their own pull request.
func (c *call) refuseReview(i *issue, in reviewInput) string {
	_, known := reviewStates[in.Event]
	own := c.who.actor() == i.user
	switch {
	case !known:
		return "Variable $event of type PullRequestReviewEvent was provided invalid value"
	case own && in.Event == "APPROVE":
		return "Can not approve your own pull request"
	case own && in.Event == "REQUEST_CHANGES":
		return "Can not request changes on your own pull request"
	case in.Event != "APPROVE" && in.Event != "" && strings.TrimSpace(in.Body) == "":
		return "Body cannot be blank"
	case in.CommitID != "" && !c.brings(i, in.CommitID):
		return "commitOID is not part of the pull request"
	}
	return ""
}

// listReviews is in the order of time. A pending review is its author's alone.
func listReviews(c *call, i *issue) reply {
	me := c.who.actor()
	seen := slices.DeleteFunc(slices.Clone(i.pull.reviews), func(review *Review) bool {
		return review.State == "PENDING" && (me == nil || review.Author != me.login)
	})
	return list(c, seen, func(review *Review) obj { return c.reviewJSON(i, review) })
}

func dismissReview(c *call, i *issue) reply {
	var in struct{ Message string }
	id := c.id("review_id")
	at := slices.IndexFunc(i.pull.reviews, func(review *Review) bool { return review.ID == id })
	switch {
	case at < 0:
		return notFound()
	case !c.decode(&in):
		return badJSON()
	case strings.TrimSpace(in.Message) == "":
		return unprocessable("Message can't be blank")
	}
	review := i.pull.reviews[at]
	if review.State != "APPROVED" && review.State != "CHANGES_REQUESTED" {
		return unprocessable("Can not dismiss a " + strings.ToLower(review.State) + " pull request review")
	}
	c.dismiss(i, review, c.who.actor())
	return ok(c.reviewJSON(i, review))
}

// dismiss takes a review back, by whom it may be.
func (s *Sim) dismiss(i *issue, review *Review, by *user) {
	review.State, i.updated = "DISMISSED", s.now()
	s.emitReview(i, review, "dismissed", by)
}
