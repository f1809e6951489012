package ghapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// react puts a reaction on a comment. GitHub keeps one of a kind and answers a
// second one with the first, and with 200 instead of 201: so nothing needs to be
// looked for, and an earlier life is known by that. How it answered costs a read
// (https://docs.github.com/en/rest/reactions/reactions#create-reaction-for-an-issue-comment).
func (r *repository) react(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	_, resp, err := r.Reactions.CreateIssueCommentReaction(ctx, r.Owner, r.Name, t.Effect.Comment, t.Effect.Text)
	if err != nil || !t.Effect.Earlier || resp.StatusCode != http.StatusOK {
		return promotion.Result{}, err
	}
	_, verdicts, err := r.reacted(ctx, t.Effect.Comment)
	result := promotion.Result{Before: true}
	if len(verdicts) > 0 {
		result.Verdict = verdicts[len(verdicts)-1]
	}
	return result, err
}

// reply answers in a comment, which a hidden marker ties to the effect.
func (r *repository) reply(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	marker := ledger.Marker(t.Effect.ID)
	return promotion.Result{}, r.comment(ctx, t, marker, ledger.Reply(t.Effect.Text, marker))
}

// history puts promotions that ended long ago into a comment.
func (r *repository) history(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	marker := ledger.Marker(t.Effect.ID)
	return promotion.Result{}, r.comment(ctx, t, marker, ledger.History(t, r.api.links, marker))
}

// Plan does an effect of the kind plan: it shows in a comment what a promotion would
// change.
func (a *API) Plan(ctx context.Context, t promotion.Task, p promotion.Planned) promotion.Result {
	err := a.plan(forPerson(ctx, t), t, p)
	result := promotion.Result{Effect: t.Effect.ID}
	if err != nil {
		result.Err = a.classify(err, doing(t), a.fresh(t))
	}
	return result
}

func (a *API) plan(ctx context.Context, t promotion.Task, p promotion.Planned) error {
	r, err := a.repository(t.Repo)
	if err != nil {
		return err
	}
	marker := ledger.Marker(t.Effect.ID)
	return r.comment(ctx, t, marker, ledger.Plan(t, p, a.links, marker))
}

// comment writes a comment, unless an earlier try at the effect has: its marker
// tells.
func (r *repository) comment(ctx context.Context, t promotion.Task, marker, body string) error {
	if t.Effect.Look {
		if err := r.settle(ctx, t); err != nil {
			return err
		}
		there, err := r.commented(ctx, t, marker)
		if err != nil || there {
			return err
		}
	}
	_, _, err := r.Issues.CreateComment(ctx, r.Owner, r.Name, t.Effect.Number, &github.IssueComment{Body: &body})
	return err
}

// commented looks for a comment of ours with a marker, among those since
// shortly before the effect was decided. Anybody can write a marker, so the
// author counts too.
func (r *repository) commented(ctx context.Context, t promotion.Task, marker string) (bool, error) {
	us, err := r.api.App(ctx)
	if err != nil {
		return false, err
	}
	var since *time.Time
	if !t.Effect.SentAt.IsZero() {
		at := t.Effect.SentAt.Add(-time.Minute) // clocks differ
		since = &at
	}
	found := false
	err = pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Issues.ListComments(ctx, r.Owner, r.Name, t.Effect.Number, &github.IssueListCommentsOptions{Since: since, ListOptions: page})
		for _, c := range list {
			found = found || c.GetUser().GetLogin() == us.BotLogin && strings.Contains(c.GetBody(), marker)
		}
		return resp, found, err
	})
	return found, err
}
