package runner

import (
	"context"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// maker makes commits by GitHub's API where the pipeline wants them verified; nil:
// they are pushed.
func (r *Runner) maker(t promotion.Task) func(context.Context, promotion.APICommit) (string, error) {
	if !verified(t) {
		return nil
	}
	return func(ctx context.Context, c promotion.APICommit) (string, error) {
		return r.GitHub.Commit(ctx, t.Repo, c)
	}
}

func verified(t promotion.Task) bool { return t.Pipeline != nil && t.Pipeline.Verified }

// credit keeps the author that a step names where the commit is to be verified:
// GitHub signs only what it is the author of itself.
// https://docs.github.com/pull-requests/committing-changes-to-your-project/creating-and-editing-commits/creating-a-commit-with-multiple-authors
func credit(t promotion.Task, how recipe) recipe {
	if verified(t) && how.Author != nil {
		how.Message = strings.TrimRight(how.Message, "\n") + "\nCo-authored-by: " + how.Author.String() + "\n"
		how.Author = nil
	}
	return how
}
