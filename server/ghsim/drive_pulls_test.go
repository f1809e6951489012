package ghsim_test

import (
	"context"
	"errors"

	"github.com/google/go-github/v57/github"
)

func driveReviews(w *world) error {
	ctx, pulls, number := context.Background(), w.rest.PullRequests, w.pullRequest("reviewed")
	var id int64
	return run(
		func() error {
			review, _, err := pulls.CreateReview(ctx, "acme", "gitops", number, &github.PullRequestReviewRequest{Event: github.String("APPROVE")})
			id = review.GetID()
			return err
		},
		func() error { _, _, err := pulls.ListReviews(ctx, "acme", "gitops", number, nil); return err },
		func() error {
			_, _, err := pulls.DismissReview(ctx, "acme", "gitops", number, id, &github.PullRequestReviewDismissalRequest{Message: github.String("no")})
			return err
		},
		func() error { _, _, err := pulls.ListCommits(ctx, "acme", "gitops", number, nil); return err },
		func() error {
			_, err := w.As("octocat").Commit(w.repo, "main", map[string]string{"moved": "on"}, "Move on")
			return err
		},
		func() error {
			_, _, err := pulls.UpdateBranch(ctx, "acme", "gitops", number, nil)
			var accepted *github.AcceptedError
			if errors.As(err, &accepted) {
				return nil
			}
			return err
		},
		func() error { _, _, err := pulls.Merge(ctx, "acme", "gitops", number, "", nil); return err },
		func() error {
			merged, _, err := pulls.IsMerged(ctx, "acme", "gitops", number)
			if err == nil && !merged {
				return errors.New("it is not merged")
			}
			return err
		},
	)
}
