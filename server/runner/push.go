package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// push sends the commit that git-commit made. It is made once more, among
// objects, and is the same.
func (r *Runner) push(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	var config struct {
		Path, TargetBranch, Tag, Provider string
		GenerateTargetBranch, Force       bool
		MaxAttempts                       int
	}
	if err := decode(t, &config); err != nil {
		return promotion.Result{}, err
	}
	if config.Tag != "" {
		return r.pushTag(ctx, t, config.Path, config.Tag)
	}
	how, ok, err := lastRecipe(t)
	if err != nil || !ok {
		return promotion.Result{Phase: promotion.StepSkipped, Message: "there is no commit to push"}, err
	}
	ws, mounts, err := r.openOwn(ctx, t)
	if err != nil {
		return promotion.Result{}, err
	}
	if config.Path == "" {
		config.Path = how.Path
	}
	m, err := mountOf(t, mounts, config.Path)
	if err != nil {
		return promotion.Result{}, err
	}
	branch := config.TargetBranch
	if config.GenerateTargetBranch || t.Step.Added && t.Promotion.Plan.Deliver == promotion.DeliverPullRequest {
		branch = promotion.BranchName(t.Promotion.Pipeline, t.Promotion.Stage, t.Promotion.Name)
	}
	if branch == "" || branch == m.Branch {
		return r.pushOnto(ctx, t, ws, m, how, config.MaxAttempts)
	}
	return r.pushBeside(ctx, t, ws, m, how, branch)
}

// lastRecipe is the recipe of the last commit; ok is false when there was
// nothing to commit.
func lastRecipe(t promotion.Task) (how recipe, ok bool, err error) {
	for i := len(t.Records) - 1; i >= 0; i-- {
		if how, ok, err = recipeOf(t.Records[i]); (ok || err != nil) && how.Tag == "" {
			return how, ok && !t.Records[i].Result.Empty, err
		}
	}
	return how, false, promotion.Terminal(errors.New("git-push: no git-commit came before it"))
}

// recipeOf is what a step left for a later one to make; ok is false when it left
// nothing.
func recipeOf(rec promotion.StepRecord) (how recipe, ok bool, err error) {
	if rec.Result.Recipe == nil {
		return how, false, nil
	}
	err = json.Unmarshal(rec.Result.Recipe, &how)
	return how, err == nil, err
}

// pushOnto moves the branch that was checked out. When it has moved, and what
// the steps read and wrote did not, the change is put on the new tip.
func (r *Runner) pushOnto(ctx context.Context, t promotion.Task, ws *gitops.Workspace, m promotion.Mount, how recipe, tries int) (promotion.Result, error) {
	if m.Branch == "" {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("git-push: %s is a commit, not a branch; say `targetBranch`", m.Path))
	}
	req, err := r.commitRequest(ctx, t, m, how)
	if err != nil {
		return promotion.Result{}, err
	}
	done, err := r.repository(t.Repo).Deliver(ctx, ws, req, gitops.PushRequest{
		Branch: m.Branch, Old: m.Commit, Look: t.Effect.Look, Promotion: t.Promotion.Name, Make: r.maker(t), Tries: tries,
	})
	if err != nil {
		return promotion.Result{}, fmt.Errorf("push to %s: %w", m.Branch, err)
	}
	if done.Commit.Empty && !done.Pushed.Adopted {
		return promotion.Result{Phase: promotion.StepSkipped, Message: "nothing to change", Empty: true}, nil
	}
	return r.pushed(t, m.Branch, done.Pushed.Commit), nil
}

// begin makes the branch that was checked out and is missing, empty: a pull request can
// go to no other one.
func (r *Runner) begin(ctx context.Context, t promotion.Task, m promotion.Mount) (promotion.Mount, error) {
	req, err := r.commitRequest(ctx, t, m, recipe{Message: "Begin " + m.Branch})
	if err != nil {
		return m, err
	}
	if m.Commit, err = r.repository(t.Repo).Begin(ctx, m.Branch, req); err != nil {
		return m, fmt.Errorf("make the branch %s: %w", m.Branch, err)
	}
	return m, nil
}

// pushBeside makes the promotion's own branch.
func (r *Runner) pushBeside(ctx context.Context, t promotion.Task, ws *gitops.Workspace, m promotion.Mount, how recipe, branch string) (_ promotion.Result, err error) {
	if m.Commit == "" && m.Branch != "" {
		if m, err = r.begin(ctx, t, m); err != nil {
			return promotion.Result{}, err
		}
	}
	made, err := r.makeCommit(ctx, t, ws, m, how)
	if err != nil {
		return promotion.Result{}, err
	}
	req := gitops.PushRequest{Branch: branch, Commit: made, Look: t.Effect.Look, Promotion: t.Promotion.Name, Make: r.maker(t)}
	if redo := redoOf(t); redo != nil {
		return r.pushAnew(ctx, t, redo, req)
	}
	done, err := r.repository(t.Repo).Push(ctx, req)
	if errors.Is(err, promotion.ErrStale) && !req.Look {
		req.Look = true // the branch is there: an earlier life of this promotion may have made it
		done, err = r.repository(t.Repo).Push(ctx, req)
	}
	if errors.Is(err, promotion.ErrStale) {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("the branch %s is there already and holds something else; delete it, then `/retry`", branch))
	}
	if err != nil {
		return promotion.Result{}, fmt.Errorf("push to %s: %w", branch, err)
	}
	return r.pushed(t, branch, done.Commit), nil
}

func (r *Runner) pushed(t promotion.Task, branch, commit string) promotion.Result {
	out := promotion.Result{Phase: promotion.StepSucceeded, Commit: commit, Pushed: branch}
	if branch == t.Promotion.Plan.Branch {
		out.Landed = commit
	}
	out.Output = output("branch", branch)
	out.Output["commit"], _ = json.Marshal(commit)
	out.Output["commitURL"], _ = json.Marshal(r.WebURL + "/" + t.Repo.FullName() + "/commit/" + commit)
	return out
}
