package ghapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// findPull looks for the pull request of the promotion among those from its
// branch, open or not; nil: there is none. An open one from that branch is taken
// whoever opened it, because GitHub allows no second one.
func (r *repository) findPull(ctx context.Context, t promotion.Task, want *github.NewPullRequest) (*github.PullRequest, error) {
	marker := ledger.Marker(t.Promotion.Name)
	var open, ours *github.PullRequest
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.PullRequests.List(ctx, r.Owner, r.Name, &github.PullRequestListOptions{
			State: "all", Head: r.Owner + ":" + want.GetHead(), Base: want.GetBase(), ListOptions: page,
		})
		for _, pr := range list {
			if pr.GetHead().GetRef() != want.GetHead() || pr.GetBase().GetRef() != want.GetBase() ||
				pr.GetHead().GetRepo().GetID() != r.ID {
				continue
			}
			if pr.GetState() == "open" {
				open = pr
			} else if pr.MergedAt == nil && (pr.GetHead().GetSHA() != t.Promotion.Commit || slices.Contains(t.Promotion.Former, pr.GetNumber())) {
				continue // of an earlier attempt: somebody closed it, and then asked for another
			}
			if ours == nil && (strings.Contains(pr.GetBody(), marker) || isBranchOf(t.Promotion, want.GetHead())) {
				ours = pr
			}
		}
		return resp, ours != nil || open != nil, err
	})
	return cmp.Or(ours, open), err
}

// isBranchOf reports whether the branch was made for this promotion alone.
func isBranchOf(p *promotion.Promotion, branch string) bool {
	_, _, name, ok := promotion.ParseBranch(branch)
	return ok && name == p.Name
}

// opened is the result of a step whose pull request is there.
func opened(pr *github.PullRequest, how string) promotion.Result {
	if pr == nil {
		return promotion.Result{}
	}
	return promotion.Result{
		Phase:       promotion.StepSucceeded,
		Message:     fmt.Sprintf("%s #%d", how, pr.GetNumber()),
		Output:      outputs(map[string]any{"pr": prOutput{ID: pr.GetNumber(), URL: pr.GetHTMLURL()}, "prNumber": pr.GetNumber()}),
		PullRequest: pullOf(pr),
	}
}

// prOutput is the output `pr` of the steps, in Kargo's words.
type prOutput struct {
	ID     int    `json:"id"`
	URL    string `json:"url"`
	Open   *bool  `json:"open,omitempty"`
	Merged *bool  `json:"merged,omitempty"`
}

func outputs(values map[string]any) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(values))
	for name, v := range values {
		raw, err := json.Marshal(v)
		if err != nil {
			panic("outputs are plain values: " + err.Error())
		}
		out[name] = raw
	}
	return out
}

// pullOf is a pull request in the core's words.
func pullOf(pr *github.PullRequest) *promotion.PullRequest {
	state := pr.GetState()
	if pr.GetMerged() || pr.MergedAt != nil { // lists leave out merged
		state = "merged"
	}
	return &promotion.PullRequest{Number: pr.GetNumber(), URL: pr.GetHTMLURL(), Head: pr.GetHead().GetSHA(), State: state}
}
