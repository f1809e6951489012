package ghapi

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v57/github"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// dress puts labels, the stage's and others, on a promotion's pull request and asks for reviews. Doing it
// twice is doing it once, so a try that looks does it again. What GitHub refuses
// (a reviewer who has left, a team without access) is said and fails nothing: the
// pull request stands.
func (r *repository) dress(ctx context.Context, t promotion.Task, result promotion.Result, labels ...string) (promotion.Result, error) {
	if t.Promotion.Plan == nil || result.PullRequest == nil {
		return result, nil
	}
	options, number := t.Promotion.Plan.PullRequest, result.PullRequest.Number
	labels = slices.Concat(options.Labels, labels)
	var lacks []string
	for _, each := range []struct {
		what string
		some bool
		ask  func() error
	}{
		{"labels", len(labels) > 0, func() error {
			_, _, err := r.Issues.AddLabelsToIssue(ctx, r.Owner, r.Name, number, labels)
			return err
		}},
		{"reviewers", len(options.Reviewers)+len(options.TeamReviewers) > 0, func() error {
			_, _, err := r.PullRequests.RequestReviewers(ctx, r.Owner, r.Name, number, github.ReviewersRequest{
				Reviewers: options.Reviewers, TeamReviewers: options.TeamReviewers,
			})
			return err
		}},
	} {
		if !each.some {
			continue
		}
		err := each.ask()
		switch code := status(err); {
		case code == http.StatusUnprocessableEntity, code == http.StatusNotFound && !r.api.fresh(t):
			zerolog.Ctx(ctx).Warn().Err(err).Int("number", number).Msg("the pull request could not get its " + each.what)
			lacks = append(lacks, each.what+" (GitHub says: "+saidBy(err)+")")
		case err != nil:
			return promotion.Result{}, err
		}
	}
	if len(lacks) > 0 {
		result.Message += ", without its " + strings.Join(lacks, " and ")
	}
	return result, nil
}
