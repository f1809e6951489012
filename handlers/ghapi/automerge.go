package ghapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v57/github"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// leaveMerge leaves a merge that GitHub does not allow yet to GitHub's own auto-merge,
// where that is right: the repository allows it, and a rule of the base requires the
// promotion's check, by which a gate that shuts meanwhile holds it. That names the
// head that may be merged, and the message of the commit. Where it cannot be used,
// which is no fault, the app merges by itself when something changed.
func (r *repository) leaveMerge(ctx context.Context, t promotion.Task, config mergeConfig, pr *github.PullRequest, method string, waiting promotion.Result) (promotion.Result, error) {
	if leave, err := r.mayLeave(ctx, t, config, pr); err != nil || !leave {
		return waiting, err
	}
	err := r.enableAutoMerge(ctx, t, pr, method)
	var refused *graphQLError
	switch {
	case err == nil:
		return leftToGitHub(waiting, strings.TrimPrefix(waiting.Message, "Waiting until GitHub allows the merge: ")), nil
	case ctx.Err() != nil:
		return waiting, err
	case errors.As(err, &refused) && strings.Contains(refused.text, "is in "): // "clean status", "unstable status": nothing is missing any more
		merged, err := r.merge(ctx, t, pr, method)
		if err == nil {
			return merged, nil
		}
		return notYet(waiting, err), nil
	case !errors.Is(err, errNoGraphQL):
		zerolog.Ctx(ctx).Info().Err(err).Int("number", pr.GetNumber()).Msg("GitHub's auto-merge cannot be used; the app merges")
	}
	return waiting, nil
}

// mayLeave reports whether GitHub's auto-merge is right for a pull request.
func (r *repository) mayLeave(ctx context.Context, t promotion.Task, config mergeConfig, pr *github.PullRequest) (bool, error) {
	p := t.Promotion
	waits := config.Wait == nil || *config.Wait
	own := p.PullRequest != nil && p.PullRequest.Number == pr.GetNumber()
	if !own || !waits || !p.MayLeaveMerge() || r.api.opts.V4URL == "" {
		return false, nil
	}
	if allowed, err := r.allowsAutoMerge(ctx, pr); err != nil || !allowed {
		return false, err
	}
	required, err := r.required(ctx, pr.GetBase().GetRef())
	return slices.Contains(required, promotion.CheckName(p.Pipeline, p.Stage)), err
}

// allowsAutoMerge reads whether the repository allows auto-merge, once an hour where
// GitHub does not say it with the pull request.
func (r *repository) allowsAutoMerge(ctx context.Context, pr *github.PullRequest) (bool, error) {
	if said := pr.GetBase().GetRepo().AllowAutoMerge; said != nil {
		return *said, nil
	}
	const setting = "allow_auto_merge"
	key := ruledBranch{r.ID, ""} // of the repository: no branch has this name
	if known, ok := r.api.ruled.Get(key); ok && r.api.opts.Now().Sub(known.at) < ruleAge {
		return slices.Contains(known.names, setting), nil
	}
	var got struct {
		Allowed bool `json:"allow_auto_merge"`
	}
	if err := r.read(ctx, fmt.Sprintf("repos/%s/%s", r.Owner, r.Name), &got); err != nil {
		return false, err
	}
	settings := ruled{at: r.api.opts.Now()}
	if got.Allowed {
		settings.names = []string{setting}
	}
	r.api.ruled.Add(key, settings)
	return got.Allowed, nil
}

// enableAutoMerge switches GitHub's auto-merge on, which REST cannot do.
// https://docs.github.com/en/graphql/reference/mutations#enablepullrequestautomerge
func (r *repository) enableAutoMerge(ctx context.Context, t promotion.Task, pr *github.PullRequest, method string) error {
	const mutation = `mutation($pull: ID!, $head: GitObjectID!, $method: PullRequestMergeMethod!, $title: String, $text: String) {
  enablePullRequestAutoMerge(input: {pullRequestId: $pull, expectedHeadOid: $head, mergeMethod: $method, commitHeadline: $title, commitBody: $text}) { clientMutationId }
}`
	variables := map[string]any{"pull": pr.GetNodeID(), "head": pr.GetHead().GetSHA(), "method": strings.ToUpper(method)}
	if title, text := commitText(t, pr, method); title != "" {
		variables["title"], variables["text"] = title, text
	}
	return r.graphQL(ctx, mutation, variables)
}

// leftToGitHub says that GitHub merges, and what it said is missing; "": it was not asked.
func leftToGitHub(waiting promotion.Result, lacks string) promotion.Result {
	waiting.Auto = true
	waiting.Message = "GitHub merges it by itself when its rules allow"
	if lacks != "" {
		waiting.Message += ": " + lacks
	}
	return waiting
}
