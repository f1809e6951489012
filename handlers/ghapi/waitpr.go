package ghapi

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v57/github"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// waitConfig is the config of git-wait-for-pr, evaluated.
// https://docs.kargo.io/user-guide/reference-docs/promotion-steps/git-wait-for-pr
type waitConfig struct {
	RepoURL  string          `json:"repoURL"`
	PRNumber json.RawMessage `json:"prNumber"`
}

// waitsForMerge is what an open pull request's step says. The core says the
// same of one that it knows to be open, so that the check run stays as it is.
const waitsForMerge = "Waiting for merge: all gates are open"

// replicaLag is how long GitHub may show a pull request as it was before the
// event that told of its change.
const replicaLag = 2 * time.Second

// waitForPullRequest looks once whether the pull request is merged or closed.
func (r *repository) waitForPullRequest(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	config, err := readConfig[waitConfig](t)
	if err != nil {
		return promotion.Result{}, err
	}
	if err := r.own(config.RepoURL, t.Step.Uses); err != nil {
		return promotion.Result{}, err
	}
	number, err := pullNumber(config.PRNumber, t.Promotion)
	if err != nil {
		return promotion.Result{}, err
	}
	pr, err := r.readPull(ctx, number, false)
	if err == nil && pr.GetState() == "open" && expectsChange(t.Promotion, number) {
		pr, err = r.readPullLater(ctx, number)
	}
	if err != nil {
		return promotion.Result{}, err
	}
	out := r.waited(ctx, pr)
	out.Mergeable = mergeability(pr, t.Promotion)
	return out, nil
}

// expectsChange reports whether an event told of a change that a read may not
// show yet.
func expectsChange(p *promotion.Promotion, number int) bool {
	return p.PullRequest != nil && p.PullRequest.Number == number && p.PullRequest.Stale
}

// readPullLater reads once more, past the cache, after GitHub's replicas have
// had time to learn of the change.
func (r *repository) readPullLater(ctx context.Context, number int) (*github.PullRequest, error) {
	if err := r.api.sleep(ctx, replicaLag); err != nil {
		return nil, err
	}
	return r.readPull(ctx, number, true)
}

// readPull reads a pull request; anew means that no cached answer will do.
func (r *repository) readPull(ctx context.Context, number int, anew bool) (*github.PullRequest, error) {
	req, err := r.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/pulls/%d", r.Owner, r.Name, number), nil)
	if err != nil {
		return nil, err
	}
	if anew {
		req.Header.Set("Cache-Control", "no-cache")
	}
	var pr github.PullRequest
	if _, err := r.Do(ctx, req, &pr); err != nil {
		return nil, err
	}
	return &pr, nil
}

// waited is the result of a look at the pull request.
func (r *repository) waited(ctx context.Context, pr *github.PullRequest) promotion.Result {
	out := promotion.Result{PullRequest: pullOf(pr)}
	open, merged := out.PullRequest.State == "open", out.PullRequest.State == "merged"
	values := map[string]any{"pr": prOutput{ID: pr.GetNumber(), URL: pr.GetHTMLURL(), Open: &open, Merged: &merged}}
	switch {
	case merged:
		out.Phase, out.Message = promotion.StepSucceeded, fmt.Sprintf("#%d was merged%s", pr.GetNumber(), by(pr.GetMergedBy()))
		out.Landed = pr.GetMergeCommitSHA()
		values["commit"] = out.Landed
	case open:
		out.Phase, out.Message = promotion.StepWaiting, waitsForMerge
	default:
		out.Phase = promotion.StepFailed
		out.Message = fmt.Sprintf("#%d was closed without a merge%s", pr.GetNumber(), by(r.closer(ctx, pr.GetNumber())))
	}
	out.Output = outputs(values)
	return out
}

// closer is who closed a pull request; only its issue knows. Not to know is no
// reason to fail: nil.
func (r *repository) closer(ctx context.Context, number int) *github.User {
	issue, _, err := r.Issues.Get(ctx, r.Owner, r.Name, number)
	if err != nil {
		zerolog.Ctx(ctx).Debug().Err(err).Int("number", number).Msg("who closed the pull request is not known")
		return nil
	}
	return issue.GetClosedBy()
}

func by(u *github.User) string {
	if u.GetLogin() == "" {
		return ""
	}
	return " by " + u.GetLogin()
}

// pullNumber is the number to wait for. An expression may give it as text.
func pullNumber(raw json.RawMessage, p *promotion.Promotion) (int, error) {
	text := strings.Trim(string(raw), `" `)
	if text == "" || text == "null" {
		if p.PullRequest == nil {
			return 0, promotion.Terminal(fmt.Errorf("there is no pull request to wait for: run git-open-pr before git-wait-for-pr, or set prNumber"))
		}
		return p.PullRequest.Number, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 1 || n != math.Trunc(n) || n > math.MaxInt32 {
		return 0, promotion.Terminal(fmt.Errorf("prNumber is %s, and no number of a pull request", raw))
	}
	return int(n), nil
}
