package ghapi

import (
	"context"
	"fmt"
	"time"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const (
	// listLag is how long lists of comments and check runs may not show a new
	// one: no trace is looked for, or believed missing, sooner (DESIGN, promise 8).
	listLag = 3 * time.Second
	// settling is how long after an effect was decided a 404 may mean that
	// GitHub does not know yet what was just made.
	settling = time.Minute
)

// doing is what an effect is about, in words that follow "the app could not".
func doing(t promotion.Task) string {
	switch t.Effect.Kind {
	case promotion.KindCheck:
		return "write the check run " + checkName(t)
	case promotion.KindCommitCheck:
		return fmt.Sprintf("write the check run on %.7s in %s", t.Effect.SHA, t.Repo.FullName())
	case promotion.KindConfigCheck:
		return fmt.Sprintf("write the check of the pipeline files in #%d", t.Effect.Number)
	case promotion.KindNeutral:
		return fmt.Sprintf("report the required check in #%d", t.Effect.Number)
	case promotion.KindDeployment:
		return "record a Deployment"
	case promotion.KindPressed:
		return "look at the check run of a pressed button"
	case promotion.KindReact:
		return "react to a comment"
	case promotion.KindReply, promotion.KindPlan, promotion.KindHistory:
		return fmt.Sprintf("comment on #%d", t.Effect.Number)
	case promotion.KindPermission:
		return "read what " + t.Effect.Login + " may do"
	case promotion.KindChecks:
		return fmt.Sprintf("read the checks of %.7s", t.Effect.SHA)
	case promotion.KindReviews:
		return fmt.Sprintf("read the reviews of #%d", t.Effect.Number)
	case promotion.KindPullRequest:
		return fmt.Sprintf("close pull request #%d", t.Effect.Number)
	case promotion.KindDeleteBranch:
		return "delete the branch " + t.Effect.Branch
	}
	if t.Step != nil && t.Step.Uses == "git-wait-for-pr" {
		return "read the pull request"
	}
	if t.Step != nil && t.Step.Uses == "git-merge-pr" {
		return "merge the pull request"
	}
	return "open the pull request"
}

func checkName(t promotion.Task) string {
	if t.Effect.Check == nil {
		return ""
	}
	return t.Effect.Check.Name
}

// Run does one effect on GitHub: the kinds check, deployment, neutral, react, reply, history, permission,
// checks, reviews, pull-request and delete-branch, and the steps git-open-pr, git-merge-pr and git-wait-for-pr.
// What came of it, an error included, is in the result, which always names the effect.
func (a *API) Run(ctx context.Context, t promotion.Task) promotion.Result {
	result, err := a.run(forPerson(ctx, t), t)
	result.Effect = t.Effect.ID
	if err != nil {
		result.Err = a.classify(err, doing(t), a.fresh(t))
	}
	return result
}

func (a *API) run(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	r, err := a.repository(t.Repo)
	if err != nil {
		return promotion.Result{}, err
	}
	switch t.Effect.Kind {
	case promotion.KindCheck:
		return r.check(ctx, t)
	case promotion.KindNeutral:
		return r.neutral(ctx, t)
	case promotion.KindDeployment:
		return r.deployment(ctx, t)
	case promotion.KindPressed:
		return r.pressed(ctx, t)
	case promotion.KindReact:
		return r.react(ctx, t)
	case promotion.KindReply:
		return r.reply(ctx, t)
	case promotion.KindHistory:
		return r.history(ctx, t)
	case promotion.KindPermission:
		return r.permission(ctx, t)
	case promotion.KindChecks:
		return r.results(ctx, t)
	case promotion.KindReviews:
		return r.reviews(ctx, t)
	case promotion.KindPullRequest:
		return r.closePullRequest(ctx, t)
	case promotion.KindDeleteBranch:
		return r.deleteBranch(ctx, t)
	case promotion.KindStep:
		return r.step(ctx, t)
	}
	return promotion.Result{}, promotion.Terminal(fmt.Errorf("an effect of the kind %q is nothing that GitHub's API does", t.Effect.Kind))
}

func (r *repository) step(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	if t.Step == nil || t.Promotion == nil {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("the step of the effect %s is not known", t.Effect.ID))
	}
	switch t.Step.Uses {
	case "git-open-pr":
		return r.openPullRequest(ctx, t)
	case "git-wait-for-pr":
		return r.waitForPullRequest(ctx, t)
	case "git-merge-pr":
		return r.mergePullRequest(ctx, t)
	}
	return promotion.Result{}, promotion.Terminal(fmt.Errorf("the step %s is nothing that GitHub's API does", t.Step.Uses))
}

// fresh reports whether the effect was decided so recently that GitHub may not
// know yet what it names.
func (a *API) fresh(t promotion.Task) bool { return a.opts.Now().Sub(t.Effect.SentAt) < settling }

// settle waits until lists show what an earlier try at the effect made.
func (r *repository) settle(ctx context.Context, t promotion.Task) error {
	return r.api.sleep(ctx, t.Effect.SentAt.Add(listLag).Sub(r.api.opts.Now()))
}

// pages calls list for each page of a hundred until there is no more or done
// says so.
func pages(list func(github.ListOptions) (*github.Response, bool, error)) error {
	opts := github.ListOptions{PerPage: 100}
	for {
		resp, done, err := list(opts)
		if err != nil || done || resp.NextPage == 0 {
			return err
		}
		opts.Page = resp.NextPage
	}
}
