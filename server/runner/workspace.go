package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// open builds the workspace that the finished steps left, from their records.
// The first step finds the stage's branch mounted at the root.
func (r *Runner) open(ctx context.Context, t promotion.Task) (*gitops.Workspace, []promotion.Mount, error) {
	return r.opened(ctx, t, func(ws *gitops.Workspace, m promotion.Mount) error { return r.mountOther(ctx, t.Repo, ws, m) })
}

// openOwn is open for steps that need nothing of other repositories: nobody is asked
// for what is checked out of those, and their paths are empty.
func (r *Runner) openOwn(ctx context.Context, t promotion.Task) (*gitops.Workspace, []promotion.Mount, error) {
	return r.opened(ctx, t, func(ws *gitops.Workspace, m promotion.Mount) error {
		return ws.Mount(ctx, promotion.Mount{Path: m.Path})
	})
}

func (r *Runner) opened(ctx context.Context, t promotion.Task, other func(*gitops.Workspace, promotion.Mount) error) (*gitops.Workspace, []promotion.Mount, error) {
	mounts, err := r.mounts(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	var files []promotion.File
	for _, rec := range t.Records {
		files = append(files, rec.Result.Files...)
	}
	ws, err := r.workspace(ctx, t, mounts, files, other)
	if err != nil {
		return nil, nil, fmt.Errorf("open the workspace: %w", err)
	}
	for _, rec := range t.Records {
		ws.NoteReads(rec.Result.Reads...)
	}
	return ws, mounts, nil
}

// workspace is a tree over mounts. other puts up those of other repositories.
func (r *Runner) workspace(ctx context.Context, t promotion.Task, mounts []promotion.Mount, files []promotion.File, other func(*gitops.Workspace, promotion.Mount) error) (*gitops.Workspace, error) {
	own := slices.DeleteFunc(slices.Clone(mounts), func(m promotion.Mount) bool { return !m.Own() })
	ws, err := r.repository(t.Repo).Workspace(ctx, own, files)
	if err != nil {
		return nil, err
	}
	for _, m := range mounts {
		if !m.Own() {
			if err := other(ws, m); err != nil {
				return nil, err
			}
		}
	}
	return ws, nil
}

// mounts are those that the steps so far left, or the stage's branch.
func (r *Runner) mounts(ctx context.Context, t promotion.Task) ([]promotion.Mount, error) {
	if m := mounted(t.Records); m != nil {
		return m, nil
	}
	tip, err := r.tip(ctx, t, t.Promotion.Plan.Branch)
	if err != nil {
		return nil, err
	}
	return []promotion.Mount{{Path: ".", Branch: t.Promotion.Plan.Branch, Commit: tip}}, nil
}

// mounted are the mounts that steps left; nil: none left any.
func mounted(records []promotion.StepRecord) []promotion.Mount {
	for i := len(records) - 1; i >= 0; i-- {
		if m := records[i].Result.Mounts; m != nil {
			return m
		}
	}
	return nil
}

// tip is the commit that a branch points to: as last heard of, else as the
// remote says. A push finds out when it is old, and then, when the steps begin
// anew, nobody is believed but the remote. Empty: there is no such branch.
func (r *Runner) tip(ctx context.Context, t promotion.Task, branch string) (string, error) {
	if redo := redoOf(t); redo != nil && redo.Tip != "" && branch == t.Promotion.Plan.Branch {
		return redo.Tip, nil // the one that it was compared with
	}
	if tip := t.State.Local.Tips[branch]; tip != "" && t.Promotion.Replays == 0 {
		return tip, nil
	}
	refs, err := r.repository(t.Repo).Refs(ctx)
	if err != nil {
		return "", fmt.Errorf("look up the branch %s: %w", branch, err)
	}
	return refs.Heads[branch], nil
}

// result fills in what every step on the workspace leaves.
func result(ws *gitops.Workspace, mounts []promotion.Mount) promotion.Result {
	return promotion.Result{Phase: promotion.StepSucceeded, Files: ws.Changes(), Reads: ws.Reads(), Mounts: mounts}
}

// edit runs a step that edits files.
func (r *Runner) edit(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	ws, mounts, err := r.open(ctx, t)
	if err != nil {
		return promotion.Result{}, err
	}
	done, err := step.Run(ctx, tree{ws}, step.Task{Uses: t.Step.Uses, Config: t.Config, Freight: t.Freight, Remote: r.remote(t.Repo)})
	if err != nil {
		return promotion.Result{}, err
	}
	return with(result(ws, mounts), done), nil
}

// remote is how steps of a repository's pipelines reach chart repositories, with the
// credentials of its owner, and bases elsewhere; nil: they do not.
func (r *Runner) remote(own promotion.Repo) *step.Remote {
	if r.Client == nil {
		return nil
	}
	remote := &step.Remote{Client: r.Client, Bases: bases{r, own}}
	if r.Login != nil {
		remote.Login = func(address string) step.Login {
			user, password, token := r.Login(own.Owner, address)
			return step.Login{User: user, Password: password, Token: token}
		}
	}
	return remote
}

// with adds to a result what the step says of itself.
func with(out promotion.Result, done step.Outcome) promotion.Result {
	out.Output, out.Message, out.Metadata = done.Output, done.Message, done.Metadata
	if done.Failed {
		out.Phase = promotion.StepFailed
	}
	return out
}

// tree shows a workspace to the editing steps.
type tree struct{ *gitops.Workspace }

func (t tree) Stat(ctx context.Context, path string) (step.Entry, error) {
	e, err := t.Workspace.Stat(ctx, path)
	return step.Entry(e), err
}

func (t tree) ReadDir(ctx context.Context, path string) ([]step.Entry, error) {
	entries, err := t.Workspace.ReadDir(ctx, path)
	out := make([]step.Entry, len(entries))
	for i, e := range entries {
		out[i] = step.Entry(e)
	}
	return out, err
}
