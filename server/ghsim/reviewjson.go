package ghsim

import (
	"fmt"
	"strings"
)

func (s *Sim) reviewJSON(i *issue, review *Review) obj {
	html := fmt.Sprintf("%s#pullrequestreview-%d", s.issueWeb(i), review.ID)
	out := obj{
		"id": review.ID, "node_id": nodeID("PRR", review.ID), "user": s.userOrNull(s.account(review.Author)), "body": review.Body, "state": review.State,
		"html_url": html, "pull_request_url": s.pullAPI(i), "author_association": i.repo.association(s.account(review.Author)),
		"_links": obj{"html": href(html), "pull_request": href(s.pullAPI(i))}, "commit_id": review.Commit,
	}
	if review.State != "PENDING" {
		out["submitted_at"] = stamp(review.Submitted)
	}
	return out
}

// emitReview tells of a review. Payloads write its state in lower case, and show the pull request as lists do.
func (s *Sim) emitReview(i *issue, review *Review, action string, actor *user) {
	shown := s.reviewJSON(i, review)
	shown["state"] = strings.ToLower(review.State)
	shown["body"] = textOrNull(review.Body)
	s.emit(event{name: "pull_request_review", action: action, repo: i.repo, actor: actor, body: obj{"review": shown, "pull_request": s.pullSimpleJSON(i)}})
}

// Reviews lists the reviews of a pull request, oldest first.
func (s *Sim) Reviews(repo Repo, number int) []Review {
	var out []Review
	s.look(repo, func(r *repository) {
		if i := r.issues[number]; i != nil && i.pull != nil {
			for _, review := range i.pull.reviews {
				out = append(out, *review)
			}
		}
	})
	return out
}
