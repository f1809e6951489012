package runner

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// checkout says what git-clone mounts where.
type checkout struct {
	Path, As, Branch, Commit, Tag string
	Create                        bool
	Sparse                        []string // empty: the vocabulary refuses more
}

// clone mounts commits beside what is mounted. Nothing is cloned: all of it stands in
// the cached clone of its repository, or comes from the remote when it is read.
func (r *Runner) clone(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	var config struct {
		RepoURL  string
		Checkout []checkout
		Blobless bool
		// What the vocabulary refuses but for false.
		RecurseSubmodules, InsecureSkipTLSVerify bool
	}
	if err := decode(t, &config); err != nil {
		return promotion.Result{}, err
	}
	find, from, err := r.checkouts(ctx, t, config.RepoURL)
	if err != nil {
		return promotion.Result{}, err
	}
	var mounts []promotion.Mount
	commits := map[string]string{}
	for _, c := range config.Checkout {
		m, err := find(c)
		if err == nil {
			err = add(commits, &mounts, c, m)
		}
		if err != nil {
			return promotion.Result{}, err
		}
	}
	ws, err := r.workspace(ctx, t, mounts, nil, func(ws *gitops.Workspace, m promotion.Mount) error { return ws.MountFrom(ctx, from.git, m) })
	if err != nil {
		return promotion.Result{}, fmt.Errorf("mount the commits: %w", err)
	}
	before, err := r.before(ctx, t)
	if err != nil {
		return promotion.Result{}, err
	}
	out := result(ws, beside(before, mounts))
	if out.Output = output("commits", commits); from.renamed != "" {
		out.Message = fmt.Sprintf("%s is called %s now: write that in the pipeline file", config.RepoURL, from.renamed)
	}
	return out, nil
}

// checkouts tells what a checkout of the repository at a URL mounts, and where that
// is another repository, which.
func (r *Runner) checkouts(ctx context.Context, t promotion.Task, repoURL string) (func(checkout) (promotion.Mount, error), origin, error) {
	name, ok := promotion.RepoAt(r.WebURL, cmp.Or(repoURL, t.Repo.FullName()))
	if !ok {
		return nil, origin{}, r.nowhere(repoURL)
	}
	own := func(c checkout) (promotion.Mount, error) { return r.mount(ctx, t, c) }
	if strings.EqualFold(name, t.Repo.FullName()) {
		return own, origin{}, nil
	}
	from, err := r.origin(ctx, t.Repo, name)
	switch {
	case err != nil:
		return nil, from, err
	case from.ID == t.Repo.ID:
		return own, from, nil
	}
	r.seen.note(t.Repo, from.Repo)
	return from.mount, from, nil
}

// nowhere is the error for an address that leads to no repository of this GitHub.
func (r *Runner) nowhere(repoURL string) error {
	return promotion.Terminal(fmt.Errorf("%s is no repository on %s; write %[2]s/OWNER/NAME", repoURL, r.WebURL))
}

// add notes a checkout's mount and its commit: under its alias, else under its path,
// also as the config spells it.
func add(commits map[string]string, mounts *[]promotion.Mount, c checkout, m promotion.Mount) error {
	if slices.ContainsFunc(*mounts, func(o promotion.Mount) bool { return o.Path == m.Path }) {
		return promotion.Terminal(fmt.Errorf("two checkouts are to stand at %s", m.Path))
	}
	keys := []string{c.As}
	if c.As == "" {
		keys = []string{m.Path, c.Path}
	}
	for _, key := range keys {
		if _, twice := commits[key]; twice && c.As != "" {
			return promotion.Terminal(fmt.Errorf("two checkouts have the alias %s", key))
		}
		if key != "" {
			commits[key] = m.Commit
		}
	}
	*mounts = append(*mounts, m)
	return nil
}

// before are the mounts beside which a git-clone puts its own: none, where it is the
// first step, or all before it that checked out were skipped.
func (r *Runner) before(ctx context.Context, t promotion.Task) ([]promotion.Mount, error) {
	if t.Promotion.Plan.Steps[0].Uses == "git-clone" {
		return mounted(t.Records), nil
	}
	return r.mounts(ctx, t)
}

// beside adds mounts to others; one takes the place of another at its path.
func beside(before, mounts []promotion.Mount) []promotion.Mount {
	kept := slices.DeleteFunc(slices.Clone(before), func(o promotion.Mount) bool {
		return slices.ContainsFunc(mounts, func(m promotion.Mount) bool { return m.Path == o.Path })
	})
	return append(kept, mounts...)
}

// keeps reports whether the git-clone of a record left what stood at a path.
func keeps(records []promotion.StepRecord, i int, at string) bool {
	now, was := mounted(records[:i+1]), mounted(records[:i])
	for _, m := range now {
		if m.Path == at {
			return slices.Contains(was, m)
		}
	}
	return false
}

// mount resolves one checkout of the pipeline's own repository to a commit.
func (r *Runner) mount(ctx context.Context, t promotion.Task, c checkout) (promotion.Mount, error) {
	m := promotion.Mount{Path: path.Clean("./" + c.Path), Commit: c.Commit}
	switch {
	case c.Commit != "":
		return m, nil
	case c.Tag != "":
		refs, err := r.repository(t.Repo).Refs(ctx)
		if err != nil {
			return m, fmt.Errorf("look up the tag %s: %w", c.Tag, err)
		}
		if m.Commit = refs.Tags[c.Tag]; m.Commit == "" {
			return m, promotion.Terminal(fmt.Errorf("there is no tag %s in %s", c.Tag, t.Repo.FullName()))
		}
		return m, nil
	}
	m.Branch = cmp.Or(c.Branch, t.Promotion.Plan.Branch)
	tip, err := r.tip(ctx, t, m.Branch)
	if err != nil {
		return m, err
	}
	if m.Commit = tip; tip == "" && !c.Create && m.Branch != t.Promotion.Plan.Branch {
		return m, promotion.Terminal(fmt.Errorf("there is no branch %s in %s; `create: true` makes it", m.Branch, t.Repo.FullName()))
	}
	return m, nil
}

// mount resolves one checkout of another repository to a commit.
func (o origin) mount(c checkout) (promotion.Mount, error) {
	m := promotion.Mount{Path: path.Clean("./" + c.Path), Commit: strings.ToLower(c.Commit), RepoID: o.ID, RepoName: o.FullName()}
	switch {
	case c.Commit != "" && !isCommit(m.Commit):
		return m, promotion.Terminal(fmt.Errorf("%q is no commit of %s: write all of its 40 digits", c.Commit, m.RepoName))
	case c.Commit != "":
		return m, nil
	case c.Tag != "":
		if m.Commit = o.refs.Tags[c.Tag]; m.Commit == "" {
			return m, promotion.Terminal(fmt.Errorf("there is no tag %s in %s", c.Tag, m.RepoName))
		}
		return m, nil
	}
	m.Branch = cmp.Or(c.Branch, o.refs.Default)
	if m.Commit = o.refs.Heads[m.Branch]; m.Commit == "" {
		return m, promotion.Terminal(fmt.Errorf("there is no branch %s in %s, and none is made in another repository", m.Branch, m.RepoName))
	}
	return m, nil
}
