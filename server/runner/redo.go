package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// compare looks whether a promotion's own commit merges into the tip of its base.
func (r *Runner) compare(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	repo := r.repository(t.Repo)
	files, err := repo.Conflicts(ctx, t.Effect.Text, t.Effect.SHA)
	if err != nil || len(files) == 0 {
		return promotion.Result{}, err
	}
	moved, err := repo.Moved(ctx, t.Effect.Text, t.Effect.SHA, files)
	return promotion.Result{Conflicts: files, Moved: moved}, err
}

// drift looks which files do not hold any more what a landing wrote there.
func (r *Runner) drift(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	files, err := r.repository(t.Repo).Gone(ctx, t.Effect.Text, t.Effect.SHA)
	return promotion.Result{Conflicts: files}, err
}

// redoOf is the new edit that a step belongs to, or nil.
func redoOf(t promotion.Task) *promotion.Redo {
	if p := t.Promotion; p != nil && p.Redo != nil && p.Redo.Begun {
		return p.Redo
	}
	return nil
}

// pushAnew puts the edit, made anew, in place of the one that the promotion's
// branch holds, by compare-and-swap: never over somebody's commit, and not over
// what people changed on the base, unless a person said so.
func (r *Runner) pushAnew(ctx context.Context, t promotion.Task, redo *promotion.Redo, req gitops.PushRequest) (promotion.Result, error) {
	repo, base := r.repository(t.Repo), t.Promotion.Plan.Branch
	if !redo.Force {
		files, err := repo.Overwrites(ctx, redo.Was.Commit, req.Commit)
		if err != nil {
			return promotion.Result{}, fmt.Errorf("compare the edit with what people changed on %s: %w", base, err)
		}
		if len(files) > 0 {
			return promotion.Result{Conflicts: files}, fmt.Errorf("%w on %s, in %s", promotion.ErrConflict, base, strings.Join(files, ", "))
		}
	}
	req.Old = redo.Was.Commit
	done, err := repo.Push(ctx, req)
	switch {
	case errors.Is(err, promotion.ErrStale):
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("somebody pushed to %s meanwhile, and nothing is put over that", req.Branch))
	case err != nil:
		return promotion.Result{}, fmt.Errorf("push to %s: %w", req.Branch, err)
	}
	out := r.pushed(t, req.Branch, done.Commit)
	out.Message = fmt.Sprintf("made anew on %s, with which %s", base, redo.Why)
	return out, nil
}
