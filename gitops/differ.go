package gitops

import (
	"context"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// ChangedPaths lists the files in which two commits differ, sorted; both are
// fetched if they are not here. An empty commit holds no files. Only folders
// that differ are looked into.
func (r *Repository) ChangedPaths(ctx context.Context, a, b string) ([]string, error) {
	left, err := r.opened(ctx, a)
	if err != nil {
		return nil, err
	}
	right, err := r.opened(ctx, b, a)
	if err != nil {
		return nil, err
	}
	d := differ{left: left, right: right, changed: map[string]bool{}}
	for level := []pair{{".", left.root, right.root}}; len(level) > 0; {
		if level, err = d.level(ctx, level); err != nil {
			return nil, err
		}
	}
	return sortedKeys(d.changed), nil
}

// opened fetches and opens a commit; an empty name is the empty commit.
func (r *Repository) opened(ctx context.Context, sha string, have ...string) (snapshot, error) {
	if sha == "" {
		return snapshot{repo: r}, nil
	}
	have = slices.DeleteFunc(have, func(s string) bool { return s == "" })
	if err := r.Fetch(ctx, []string{sha}, have...); err != nil {
		return snapshot{}, err
	}
	h, _ := parseHash(sha)
	return r.snapshot(ctx, h)
}

// differ compares two trees level by level.
type differ struct {
	left, right snapshot
	changed     map[string]bool
}

// pair is a folder in both; zero is none.
type pair struct {
	dir         string
	left, right plumbing.Hash
}

func (d *differ) level(ctx context.Context, level []pair) ([]pair, error) {
	var lefts, rights []plumbing.Hash
	for _, p := range level {
		lefts, rights = append(lefts, p.left), append(rights, p.right)
	}
	if err := d.left.repo.obtain(ctx, d.left.commit, lefts); err != nil {
		return nil, err
	}
	if err := d.right.repo.obtain(ctx, d.right.commit, rights); err != nil {
		return nil, err
	}
	var next []pair
	for _, p := range level {
		l, err := d.left.tree(ctx, p.left)
		if err != nil {
			return nil, err
		}
		r, err := d.right.tree(ctx, p.right)
		if err != nil {
			return nil, err
		}
		next = append(next, d.compare(p.dir, l, r)...)
	}
	return next, nil
}

// compare notes the files that differ in one folder, and returns its folders
// that do.
func (d *differ) compare(dir string, l, r *tree) []pair {
	names := map[string]bool{}
	for _, t := range []*tree{l, r} {
		if t != nil {
			for _, e := range t.entries {
				names[e.name] = true
			}
		}
	}
	var next []pair
	for name := range names {
		a, _ := l.find(name)
		b, _ := r.find(name)
		if a == b {
			continue
		}
		full := path.Join(dir, name)
		if a.mode != 0 && !a.isDir() || b.mode != 0 && !b.isDir() {
			d.changed[full] = true
		}
		if sub := (pair{full, a.folder(), b.folder()}); sub.left != sub.right {
			next = append(next, sub)
		}
	}
	return next
}

// folder is the hash of an entry that is a folder, else zero.
func (e entry) folder() plumbing.Hash {
	if !e.isDir() {
		return plumbing.ZeroHash
	}
	return e.hash
}
