package handlers

import (
	"errors"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

type reviewPayload struct {
	envelope
	Review struct {
		ID          int64  `json:"id"`
		State       string `json:"state"`
		CommitID    string `json:"commit_id"`
		User        user   `json:"user"` // null when the account is gone
		SubmittedAt stamp  `json:"submitted_at"`
		UpdatedAt   stamp  `json:"updated_at"`
	} `json:"review"`
	PullRequest struct {
		Number    int      `json:"number"`
		UpdatedAt stamp    `json:"updated_at"`
		Head      pullHead `json:"head"`
	} `json:"pull_request"`
}

// pullRequestReview tells of reviews that were submitted or dismissed, and of
// those whose text was edited, with the state that they have.
func (t Translator) pullRequestReview(payload []byte) ([]promotion.Event, error) {
	p, err := decode[reviewPayload](payload)
	if err != nil {
		return nil, err
	}
	switch p.Action {
	case "submitted", "edited", "dismissed":
	case "":
		return nil, errNoAction
	default:
		return nil, nil
	}
	if p.Review.ID == 0 || p.PullRequest.Number <= 0 {
		return nil, errors.New("the payload names no review or no pull request")
	}
	return p.one(p.at(), promotion.Reviewed{
		Number:     p.PullRequest.Number,
		Review:     p.Review.ID,
		State:      p.state(),
		SHA:        p.Review.CommitID,
		HeadBranch: p.PullRequest.Head.Ref,
		SameRepo:   p.PullRequest.Head.in(p.Repository),
		By:         p.Review.User.Login,
		ByID:       p.Review.User.ID,
		ByBot:      p.Review.User.Type != "User", // nor may an account that is gone count
	})
}

// state is the review's. Webhooks write it in small letters, REST in capitals.
func (p *reviewPayload) state() string {
	if p.Action == "dismissed" {
		return "dismissed"
	}
	return strings.ToLower(p.Review.State)
}

// at is when it happened. Of what comes after the submission, GitHub's older
// versions tell only when the pull request changed.
func (p *reviewPayload) at() time.Time {
	switch {
	case p.Action == "submitted":
		return p.Review.SubmittedAt.Time
	case !p.Review.UpdatedAt.IsZero():
		return p.Review.UpdatedAt.Time
	}
	return p.PullRequest.UpdatedAt.Time
}
