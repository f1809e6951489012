package gitops

import (
	"context"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

// fetchFirst fetches a commit to which nothing here is close.
func (r *Repository) fetchFirst(ctx context.Context, commit plumbing.Hash, s server) error {
	if !s.lazy() {
		return r.fetchWhole(ctx, commit, s, filterNone)
	}
	if !r.holds(ctx, commit) {
		if err := r.fetchInto(ctx, ask{wants: []plumbing.Hash{commit}, depth: 1, filter: filterAll}); err != nil {
			return err
		}
	}
	whole, err := r.survey(ctx, commit)
	if err != nil || !whole {
		return err
	}
	if err := r.fetchWhole(ctx, commit, s, filterSmall); !diskFull(err) {
		return err
	}
	return nil // what is read comes then, and stays in memory
}

// survey fetches the folders of a commit, one request a level, until it knows
// all of them or sees that there are many. It reports whether the repository is
// small and has files that are not here.
func (r *Repository) survey(ctx context.Context, commit plumbing.Hash) (whole bool, err error) {
	root, err := r.rootOf(ctx, commit)
	if err != nil {
		return false, err
	}
	entries, lacks := 0, false
	for level := []plumbing.Hash{root}; len(level) > 0; {
		if len(r.missing(ctx, level)) > smallTrees || entries > smallEntries {
			return false, nil
		}
		if err := r.obtainLocked(ctx, commit, level); err != nil {
			return false, err
		}
		var next []plumbing.Hash
		for _, h := range level {
			dirs, files, err := r.children(ctx, h)
			if err != nil {
				return false, err
			}
			next = append(next, dirs...)
			entries += len(dirs) + len(files)
			lacks = lacks || len(r.missing(ctx, files)) > 0
		}
		level = unique(next)
	}
	return lacks && entries <= smallEntries, nil
}

// children lists the folders and the files in a tree that is here.
func (r *Repository) children(ctx context.Context, h plumbing.Hash) (dirs, files []plumbing.Hash, err error) {
	o, err := r.local(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	t, err := o.tree()
	if err != nil {
		return nil, nil, err
	}
	for _, e := range t.entries {
		switch {
		case e.isDir():
			dirs = append(dirs, e.hash)
		case e.mode != modeModule:
			files = append(files, e.hash)
		}
	}
	return dirs, files, nil
}

// fetchHistory is for a server that gives tips of branches alone: the commit is
// looked for below them, near first.
func (r *Repository) fetchHistory(ctx context.Context, commit plumbing.Hash) error {
	adv, err := r.advertised(ctx, uploadPack)
	if err != nil {
		return err
	}
	var tips []plumbing.Hash
	for _, h := range adv.References {
		tips = append(tips, h)
	}
	for _, depth := range []int{64, 0} {
		if len(tips) == 0 || r.holds(ctx, commit) {
			break
		}
		if err := r.fetchToDisk(ctx, ask{wants: tips, depth: depth}); err != nil {
			return err
		}
	}
	if !r.holds(ctx, commit) {
		return fmt.Errorf("fetch from %s: %w: commit %s", r.name(), errNotThere, commit)
	}
	return nil
}
