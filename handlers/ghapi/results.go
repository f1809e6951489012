package ghapi

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// results reads what others say of a commit: the newest check run of each App
// and name, ours left out, and the newest commit status of each context. It takes
// two requests, and more beyond a hundred of either.
func (r *repository) results(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	if t.Effect.SHA == "" {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("the effect %s names no commit", t.Effect.ID))
	}
	runs, err := r.runsOfOthers(ctx, t.Effect.SHA)
	if err != nil {
		return promotion.Result{}, err
	}
	statuses, err := r.statuses(ctx, t.Effect.SHA)
	if err != nil {
		return promotion.Result{}, err
	}
	return promotion.Result{Checks: newest(append(runs, statuses...))}, nil
}

// runsOfOthers lists check runs. GitHub's filter "latest" is by suite, and an App
// may have several on one commit, so that a name can come more than once.
// https://docs.github.com/en/rest/checks/runs#list-check-runs-for-a-git-reference
func (r *repository) runsOfOthers(ctx context.Context, sha string) ([]promotion.CheckChanged, error) {
	var out []promotion.CheckChanged
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Checks.ListCheckRunsForRef(ctx, r.Owner, r.Name, sha, &github.ListCheckRunsOptions{
			Filter: github.String("latest"), ListOptions: page,
		})
		if err != nil {
			return resp, true, err
		}
		for _, run := range list.CheckRuns {
			if run.GetApp().GetID() != r.api.opts.AppID {
				out = append(out, ofRun(sha, run))
			}
		}
		return resp, false, nil
	})
	return out, err
}

// ofRun is a check run in the core's words, as webhooks give it too.
func ofRun(sha string, run *github.CheckRun) promotion.CheckChanged {
	c := promotion.CheckChanged{
		SHA: sha, Name: run.GetName(), App: run.GetApp().GetID(), ID: run.GetID(), Conclusion: run.GetConclusion(),
		At: run.GetCompletedAt().UTC(), URL: cmp.Or(run.GetHTMLURL(), run.GetDetailsURL()), Title: run.GetOutput().GetTitle(),
	}
	if c.Conclusion == "" {
		c.At = run.GetStartedAt().UTC()
	}
	return c
}

// statuses lists the newest status of each context, which is what GitHub's
// combined status holds. Check runs are no part of it.
// https://docs.github.com/en/rest/commits/statuses#get-the-combined-status-for-a-specific-reference
func (r *repository) statuses(ctx context.Context, sha string) ([]promotion.CheckChanged, error) {
	var out []promotion.CheckChanged
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		combined, resp, err := r.Repositories.GetCombinedStatus(ctx, r.Owner, r.Name, sha, &page)
		if err != nil {
			return resp, true, err
		}
		for _, s := range combined.Statuses {
			out = append(out, ofStatus(sha, s))
		}
		return resp, false, nil
	})
	return out, err
}

func ofStatus(sha string, s *github.RepoStatus) promotion.CheckChanged {
	c := promotion.CheckChanged{
		SHA: sha, Name: s.GetContext(), ID: s.GetID(), Conclusion: s.GetState(),
		At: s.GetCreatedAt().UTC(), URL: s.GetTargetURL(), Title: s.GetDescription(),
	}
	if c.Conclusion == "pending" {
		c.Conclusion = ""
	}
	return c
}

// newest keeps of each App and name the one with the highest ID, in the order of
// their names.
func newest(all []promotion.CheckChanged) []promotion.CheckChanged {
	order := func(a, b promotion.CheckChanged) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.App, b.App))
	}
	slices.SortFunc(all, func(a, b promotion.CheckChanged) int { return cmp.Or(order(a, b), cmp.Compare(b.ID, a.ID)) })
	return slices.CompactFunc(all, func(a, b promotion.CheckChanged) bool { return order(a, b) == 0 })
}
