package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// promoter promotes with our own engine.
type promoter struct {
	*gitRepo
	dir    string // of the clones
	engine *gitops.Engine
	repo   *gitops.Repository
	look   bool // ask for the refs before each push, as git does
}

// promoter opens an engine with nothing in it.
func (g *gitRepo) promoter(b *bench) (*promoter, error) {
	dir, err := b.dir()
	if err != nil {
		return nil, err
	}
	e, err := gitops.New(dir, gitops.Options{Timeout: 10 * time.Minute})
	if err != nil {
		return nil, err
	}
	auth := func(context.Context) (string, error) { return gitopstest.Token, nil }
	return &promoter{gitRepo: g, dir: dir, engine: e, repo: e.Repository(1, g.URL, auth)}, nil
}

// promote changes one value on base and pushes that as a branch. own is the time
// that reading, editing and committing took.
func (p *promoter) promote(ctx context.Context, base, file, branch, tag string) (own time.Duration, err error) {
	begin := time.Now()
	c, err := p.build(ctx, base, file, tag)
	own = time.Since(begin)
	if err == nil {
		_, err = p.repo.Push(ctx, gitops.PushRequest{Branch: branch, Commit: c, Look: p.look})
	}
	return own, err
}

// build is what git-clone, yaml-update and git-commit do.
func (p *promoter) build(ctx context.Context, base, file, tag string) (gitops.Commit, error) {
	ws, err := p.repo.Workspace(ctx, []promotion.Mount{{Path: ".", Commit: base, Branch: "main"}}, nil)
	if err != nil {
		return gitops.Commit{}, err
	}
	config, _ := json.Marshal(map[string]any{ // text has a JSON form
		"path": file, "updates": []map[string]string{{"key": "image.tag", "value": tag}},
	})
	if _, err := step.Run(ctx, files{ws}, step.Task{Uses: "yaml-update", Config: config}); err != nil {
		return gitops.Commit{}, err
	}
	return p.repo.Commit(ctx, ws, gitops.CommitRequest{
		Message: "Promote to prod\n\nStagecoach-Promotion: " + path.Base(file) + tag + "\n",
		Bot:     gitops.Ident{Name: "stagecoach[bot]", Email: "stagecoach[bot]@users.noreply.github.com"}, When: time.Unix(1_800_000_000, 0),
		Parent: base,
	})
}

// timed is how long a promotion took whose branch is looked at and deleted then, as
// a host deletes the branches of merged pull requests: many branches cost every push.
func (g *gitRepo) timed(branch, file string, promote func() error) (time.Duration, error) {
	begin := time.Now()
	err := promote()
	took := time.Since(begin)
	if err == nil {
		err = g.check(branch, g.base, file)
	}
	if err == nil {
		_, err = g.Git("", "update-ref", "-d", "refs/heads/"+branch)
	}
	return took, err
}

// check sees that a branch is one file away from where it began, and whole.
func (g *gitRepo) check(branch, base, file string) error {
	diff, err := g.Git("", "diff", "--name-only", base, branch)
	if err == nil && strings.TrimSpace(diff) != file {
		err = fmt.Errorf("the branch %s changed %q, not %s", branch, diff, file)
	}
	_, walkErr := g.Git("", "rev-list", "--objects", "--quiet", branch, "--not", base)
	return errors.Join(err, walkErr)
}

// files shows a workspace to the editing steps.
type files struct{ *gitops.Workspace }

func (f files) Stat(ctx context.Context, path string) (step.Entry, error) {
	e, err := f.Workspace.Stat(ctx, path)
	return step.Entry(e), err
}

func (f files) ReadDir(ctx context.Context, path string) ([]step.Entry, error) {
	entries, err := f.Workspace.ReadDir(ctx, path)
	out := make([]step.Entry, len(entries))
	for i, e := range entries {
		out[i] = step.Entry(e)
	}
	return out, err
}
