package ghapi

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// closePullRequest closes a promotion's pull request unmerged. With Effect.Look
// it reads it first: one that is merged or closed stays as it is, and Effect.Text
// goes on top of the body as the reason, in the same write.
func (r *repository) closePullRequest(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	number := t.Effect.Number
	if number == 0 && t.Promotion != nil && t.Promotion.PullRequest != nil {
		number = t.Promotion.PullRequest.Number
	}
	if number == 0 {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("the effect %s names no pull request to close", t.Effect.ID))
	}
	change := &github.PullRequest{State: github.String("closed")}
	if t.Effect.Look {
		pr, err := r.readPull(ctx, number, false)
		if err != nil {
			return promotion.Result{}, err
		}
		if pr.GetState() != "open" {
			return closedAs(pr), nil
		}
		change.Body = withReason(pr.GetBody(), t.Effect)
	}
	pr, _, err := r.PullRequests.Edit(ctx, r.Owner, r.Name, number, change)
	if err != nil {
		return promotion.Result{}, err
	}
	return closedAs(pr), nil
}

// closedAs tells what the pull request is now: somebody may have merged it before
// it could be closed.
func closedAs(pr *github.PullRequest) promotion.Result {
	out := promotion.Result{PullRequest: pullOf(pr)}
	if out.PullRequest.State == "merged" {
		out.Landed = pr.GetMergeCommitSHA()
	}
	return out
}

// withReason is the body with the reason on top; nil leaves it as it is.
func withReason(body string, e promotion.Effect) *string {
	marker := ledger.Marker(e.ID)
	if e.Text == "" || strings.Contains(body, marker) {
		return nil
	}
	text := "**Closed:** " + ledger.Harmless(e.Text) + " " + marker + "\n\n" + body
	if len([]rune(text)) > maxPullBody {
		return nil
	}
	return &text
}
