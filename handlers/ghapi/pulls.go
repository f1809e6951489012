package ghapi

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// mostPulls is how many pull requests are looked at for promotions: three requests.
const mostPulls = 300

// Pulls lists pull requests from branches of promotions, the newest first, of the last
// that were made in the repository.
func (a *API) Pulls(ctx context.Context, repo promotion.Repo) ([]promotion.FoundPull, error) {
	r, err := a.repository(repo)
	if err != nil {
		return nil, err
	}
	var out []promotion.FoundPull
	seen := 0
	err = pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.PullRequests.List(ctx, r.Owner, r.Name, &github.PullRequestListOptions{
			State: "all", Sort: "created", Direction: "desc", ListOptions: page,
		})
		for _, pr := range list {
			seen++
			if _, _, _, ours := promotion.ParseBranch(pr.GetHead().GetRef()); !ours || pr.GetHead().GetRepo().GetID() != r.ID {
				continue
			}
			out = append(out, foundPull(pr))
		}
		return resp, seen >= mostPulls, err
	})
	if err != nil {
		return nil, a.classify(err, "list the pull requests of "+repo.FullName(), false)
	}
	return out, nil
}

func foundPull(pr *github.PullRequest) promotion.FoundPull {
	seen := pullOf(pr)
	found := promotion.FoundPull{
		Number: seen.Number, URL: seen.URL, Branch: pr.GetHead().GetRef(), Base: pr.GetBase().GetRef(), Head: seen.Head, State: seen.State,
	}
	if found.State == "merged" {
		found.MergedAs = pr.GetMergeCommitSHA()
	}
	return found
}

// Pushers are the logins of people whose commits a promotion's pull request holds beside
// ours. One whose author GitHub does not know is "ghost"'s, as GitHub calls such people.
func (a *API) Pushers(ctx context.Context, repo promotion.Repo, number int) ([]string, error) {
	r, err := a.repository(repo)
	if err != nil {
		return nil, err
	}
	var out []string
	err = pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.PullRequests.ListCommits(ctx, r.Owner, r.Name, number, &page)
		for _, c := range list {
			login := cmp.Or(c.GetAuthor().GetLogin(), "ghost")
			if promotion.Trailer(c.GetCommit().GetMessage(), promotion.TrailerPromotion) == "" && !slices.Contains(out, login) {
				out = append(out, login)
			}
		}
		return resp, false, err
	})
	if err != nil {
		return nil, a.classify(err, fmt.Sprintf("list the commits of #%d", number), false)
	}
	return out, nil
}
