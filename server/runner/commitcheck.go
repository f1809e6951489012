package runner

import (
	"context"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// commitCheck says on a commit of a git source where its freight is, as of now. What
// nobody shows any more is left as it is.
func (r *Runner) commitCheck(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	where, src := t.State.Whereabouts(t.Effect.Pipeline, t.Effect.SHA), sourceOf(t)
	if where == nil || src == nil || src.Git == nil {
		return promotion.Result{}, nil
	}
	if t.State.Shows(t.Effect, where) {
		return promotion.Result{CheckID: t.State.Pipelines[where.Pipeline].Shown[where.Commit].ID, Digest: where.Digest()}, nil
	}
	repo, err := r.showsIn(ctx, t.Repo, src.Git.Repo)
	if err != nil {
		return promotion.Result{}, err
	}
	t.Repo = repo
	out := r.GitHub.CommitCheck(ctx, t, *where)
	if out.Err == nil {
		out.Digest = where.Digest()
	}
	return out, out.Err
}

// showsIn is the repository of a source, if pipelines of own may write there. That a
// public one can be read by all does not let everybody's pipelines write on its
// commits: it has to share.
func (r *Runner) showsIn(ctx context.Context, own promotion.Repo, fullName string) (promotion.Repo, error) {
	if fullName == "" || strings.EqualFold(fullName, own.FullName()) {
		return own, nil
	}
	from, err := r.origin(ctx, own, fullName)
	if err != nil {
		return promotion.Repo{}, err
	}
	if !from.shares {
		return promotion.Repo{}, promotion.Terminal(fmt.Errorf(
			"%s does not share with %s: install the app there, and let its .github/stagecoach.yml say `share: [%s]`", fullName, own.FullName(), own.FullName()))
	}
	return from.Repo, nil
}
