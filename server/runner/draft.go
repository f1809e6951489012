package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/worktree"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/plan"
)

// draft is the tree that a plan's steps work in: commits of the repository, with
// what was written laid over them.
type draft struct {
	tree
	r      *Runner
	t      promotion.Task
	branch string // the stage's
	tip    string // of it; empty: it does not exist yet
	home   string // where that is mounted
	hidden int    // files that differ beyond mostPlanned
}

// mostPlanned is how many changed files are compared: more than a comment shows.
const mostPlanned = 300

func (r *Runner) newDraft(ctx context.Context, t promotion.Task, branch string) (*draft, error) {
	d := &draft{r: r, t: t, branch: branch}
	refs, err := r.repository(t.Repo).Refs(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up the branch %s: %w", branch, err)
	}
	d.tip = refs.Heads[branch]
	if err := d.Unmount(ctx); err != nil {
		return nil, err
	}
	return d, d.MountHome(ctx, ".")
}

// Unmount implements plan.Tree.
func (d *draft) Unmount(ctx context.Context) (err error) {
	d.home = ""
	d.Workspace, err = d.r.repository(d.t.Repo).Workspace(ctx, nil, nil)
	return err
}

// MountHome implements plan.Tree.
func (d *draft) MountHome(ctx context.Context, at string) error {
	d.home = at
	return d.Mount(ctx, promotion.Mount{Path: at, Branch: d.branch, Commit: d.tip})
}

// MountCommit implements plan.Tree.
func (d *draft) MountCommit(ctx context.Context, at, ref string) error {
	sha, err := d.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	return d.Mount(ctx, promotion.Mount{Path: at, Commit: sha})
}

// Own implements plan.Tree.
func (d *draft) Own(repoURL string) bool {
	name, ok := promotion.RepoAt(d.r.WebURL, repoURL)
	return ok && strings.EqualFold(name, d.t.Repo.FullName())
}

// MountOther implements plan.Tree. The pipeline files of a pull request may be anybody's:
// they get nothing of other repositories, which the diff would show.
func (d *draft) MountOther(ctx context.Context, repoURL string, c plan.Checkout) (string, error) {
	if d.t.Effect.Preview.Head != "" {
		return "", fmt.Errorf("%s is another repository, which is not read by the pipeline files of a pull request: %w", repoURL, step.ErrOffline)
	}
	name, ok := promotion.RepoAt(d.r.WebURL, repoURL)
	if !ok {
		return "", d.r.nowhere(repoURL)
	}
	from, err := d.r.origin(ctx, d.t.Repo, name)
	if err != nil {
		return "", err
	}
	m, err := from.mount(checkout{Path: c.Path, Branch: c.Branch, Commit: c.Commit, Tag: c.Tag})
	if err != nil {
		return "", err
	}
	return m.Commit, d.MountFrom(ctx, from.git, m)
}

// Resolve implements plan.Tree.
func (d *draft) Resolve(ctx context.Context, ref string) (string, error) {
	if isCommit(ref) {
		return ref, nil
	}
	refs, err := d.r.repository(d.t.Repo).Refs(ctx)
	if err != nil {
		return "", fmt.Errorf("look up %s: %w", ref, err)
	}
	for _, sha := range []string{refs.Heads[ref], refs.Tags[ref]} {
		if sha != "" {
			return sha, nil
		}
	}
	return "", promotion.Terminal(fmt.Errorf("there is no branch or tag %s in %s", ref, d.t.Repo.FullName()))
}

func isCommit(s string) bool { return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == "" }

// Changes implements plan.Tree.
func (d *draft) Changes(ctx context.Context) ([]worktree.Changed, error) {
	own := slices.DeleteFunc(d.Mounts(), func(m promotion.Mount) bool { return !m.Own() })
	before, err := d.r.repository(d.t.Repo).Workspace(ctx, own, nil)
	if err != nil {
		return nil, fmt.Errorf("open what the steps began with: %w", err)
	}
	var out []worktree.Changed
	for _, f := range d.Workspace.Changes() {
		inner, ok := d.inHome(f.Path)
		if !ok {
			continue
		}
		if len(out) == mostPlanned {
			d.hidden++
			continue
		}
		old, err := fileAt(ctx, tree{before}, f.Path)
		if err != nil {
			return nil, err
		}
		now, err := fileAt(ctx, d.tree, f.Path)
		if err != nil {
			return nil, err
		}
		if c, changed := worktree.Compare(inner, old, now); changed {
			out = append(out, c)
		}
	}
	return out, nil
}

// inHome is a path below where the stage's branch is mounted, if it is there.
func (d *draft) inHome(name string) (string, bool) {
	if d.home == "." {
		return name, !slices.ContainsFunc(d.Mounts(), func(m promotion.Mount) bool {
			return m.Path != "." && strings.HasPrefix(name, m.Path+"/")
		})
	}
	return strings.CutPrefix(name, d.home+"/")
}

// fileAt is the file or link at a path; nil: there is none.
func fileAt(ctx context.Context, t tree, name string) (*promotion.File, error) {
	e, err := t.Stat(ctx, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && e.Mode == step.ModeFolder {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("compare %s: %w", name, err)
	}
	content, err := t.ReadFile(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("compare %s: %w", name, err)
	}
	return &promotion.File{Path: name, Mode: e.Mode, Content: content}, nil
}
