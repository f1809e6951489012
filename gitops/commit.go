package gitops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// CommitRequest says how to commit what was written in a workspace.
type CommitRequest struct {
	Path    string // the mount whose files are committed; empty: "."
	Message string // with its trailers
	Author  *Ident // nil: the bot
	Bot     Ident  // the committer
	// When is the date of the commit, to the second: when the promotion began,
	// so that the same work gives the same commit.
	When   time.Time
	Parent string // 40 hex digits; empty: a root commit, of what was written alone
}

// Commit is a commit made among objects. It is nowhere but in this value until
// Push sends it.
type Commit struct {
	SHA     string // empty when Empty
	Tree    string
	Parent  string
	Empty   bool // there was nothing to change
	Changes []promotion.Change

	objects []*object // what a server that has the parent lacks

	// What it takes to make it in another way than by a push.
	message  string
	baseTree string
	files    []promotion.File
}

// Commit writes what was written under a mount, now or by earlier steps, as one
// commit on req.Parent. Only the trees on the way to changed files are rebuilt.
// It asks the remote for nothing but parts of the parent that are not here.
func (r *Repository) Commit(ctx context.Context, ws *Workspace, req CommitRequest) (Commit, error) {
	edits, err := ws.edits(req.Path)
	if err != nil {
		return Commit{}, err
	}
	return r.commitEdits(ctx, edits, req)
}

// edits are the written and deleted files of one mount, by path in it.
func (w *Workspace) edits(at string) (map[string]node, error) {
	at, err := cleanPath(at)
	if err != nil {
		return nil, err
	}
	m, err := w.mountAt(at)
	if err != nil {
		return nil, err
	}
	if m.repo.clone != w.repo.clone {
		return nil, promotion.Terminal(fmt.Errorf("%s is of %s, which is read only", at, m.repo.name()))
	}
	edits := map[string]node{}
	for name, n := range w.over.nodes {
		if m, rel, ok := w.mountOf(name); ok && m.Path == at {
			edits[rel] = n
		}
	}
	return edits, nil
}

func (r *Repository) commitEdits(ctx context.Context, edits map[string]node, req CommitRequest) (Commit, error) {
	base, parents, err := r.parent(ctx, req.Parent)
	if err != nil {
		return Commit{}, err
	}
	b := &builder{base: base, made: map[plumbing.Hash]*object{}}
	root, err := b.write(ctx, base.root, "", edits)
	if err != nil {
		return Commit{}, fmt.Errorf("build the tree: %w", err)
	}
	if root.IsZero() && !base.commit.IsZero() {
		root = b.put(plumbing.TreeObject, nil)
	}
	slices.SortFunc(b.changes, func(x, y promotion.Change) int { return cmp.Compare(x.Path, y.Path) })
	c := Commit{Tree: root.String(), Parent: req.Parent, Changes: b.changes}
	if root == base.root {
		c.Empty = true
		return c, nil
	}
	author := req.Bot
	if req.Author != nil {
		author = *req.Author
	}
	made := encodeCommit(root, parents, author, req.Bot, req.When, req.Message)
	c.SHA = made.hash.String()
	c.objects = append(b.objects(), made)
	c.message, c.files = req.Message, b.files
	if !base.root.IsZero() {
		c.baseTree = base.root.String()
	}
	return c, nil
}

// parent opens the commit to build on.
func (r *Repository) parent(ctx context.Context, sha string) (snapshot, []plumbing.Hash, error) {
	if sha == "" {
		return snapshot{repo: r}, nil, nil
	}
	if err := r.Fetch(ctx, []string{sha}); err != nil {
		return snapshot{}, nil, err
	}
	h, _ := parseHash(sha)
	s, err := r.snapshot(ctx, h)
	return s, []plumbing.Hash{h}, err
}
