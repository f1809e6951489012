package handlers

import (
	"errors"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

type pullRequestPayload struct {
	envelope
	Reason      string `json:"reason"` // of dequeued and auto_merge_disabled
	PullRequest struct {
		Number         int      `json:"number"`
		Merged         bool     `json:"merged"`
		MergeCommitSHA string   `json:"merge_commit_sha"`
		CreatedAt      stamp    `json:"created_at"`
		UpdatedAt      stamp    `json:"updated_at"`
		ClosedAt       stamp    `json:"closed_at"`
		Head           pullHead `json:"head"`
		Base           struct {
			Ref string `json:"ref"`
		} `json:"base"`
	} `json:"pull_request"`
}

// pullHead is where a pull request comes from.
type pullHead struct {
	Ref  string      `json:"ref"`
	SHA  string      `json:"sha"`
	Repo *repository `json:"repo"` // null when the fork is gone
}

// in reports whether the head is in the repository, not in a fork.
func (h *pullHead) in(r *repository) bool { return h.Repo != nil && r != nil && h.Repo.ID == r.ID }

// pullRequest tells of pull requests that came, went, or got another head.
func (t Translator) pullRequest(payload []byte) ([]promotion.Event, error) {
	p, err := decode[pullRequestPayload](payload)
	if err != nil {
		return nil, err
	}
	switch p.Action {
	case "opened", "synchronize", "reopened", "closed", "dequeued", "auto_merge_enabled", "auto_merge_disabled":
	case "":
		return nil, errNoAction
	default:
		return nil, nil
	}
	if p.PullRequest.Number <= 0 {
		return nil, errors.New("the payload names no pull request")
	}
	changed := p.changed()
	changed.Own = t.BotLogin != "" && p.Sender.Login == t.BotLogin
	return p.one(p.at(), changed)
}

func (p *pullRequestPayload) changed() promotion.PullRequestChanged {
	pr := &p.PullRequest
	c := promotion.PullRequestChanged{
		Number:     pr.Number,
		Action:     p.Action,
		HeadBranch: pr.Head.Ref,
		HeadSHA:    pr.Head.SHA,
		Base:       pr.Base.Ref,
		SameRepo:   pr.Head.in(p.Repository),
		By:         p.Sender.Login,
		Reason:     p.Reason,
	}
	// Before the merge, merge_commit_sha is a test merge that no branch holds.
	if p.Action == "closed" && pr.Merged {
		c.Merged, c.MergedAs = true, pr.MergeCommitSHA
	}
	return c
}

func (p *pullRequestPayload) at() time.Time {
	switch p.Action {
	case "opened":
		return p.PullRequest.CreatedAt.Time
	case "closed":
		return p.PullRequest.ClosedAt.Time
	}
	return p.PullRequest.UpdatedAt.Time
}
