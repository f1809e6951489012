package ghapi

import (
	"context"
	"slices"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// reviews reads the reviews of a promotion's pull request, in the order in which they
// were submitted: one request for a hundred.
func (r *repository) reviews(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	var out []promotion.Review
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.PullRequests.ListReviews(ctx, r.Owner, r.Name, t.Effect.Number, &page)
		for _, v := range list {
			out = append(out, promotion.Review{At: v.GetSubmittedAt().Time, Reviewed: promotion.Reviewed{
				Number: t.Effect.Number, Review: v.GetID(), State: strings.ToLower(v.GetState()), SHA: v.GetCommitID(), SameRepo: true,
				By: v.GetUser().GetLogin(), ByID: v.GetUser().GetID(), ByBot: v.GetUser().GetType() != "User", // nor may an account that is gone count
			}})
		}
		return resp, false, err
	})
	slices.SortStableFunc(out, func(a, b promotion.Review) int { return a.At.Compare(b.At) })
	return promotion.Result{Reviews: out}, err
}
