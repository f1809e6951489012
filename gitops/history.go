package gitops

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// History lists commits from tip backwards, nearest first, at most limit, up to
// but without until; empty: as far as limit goes. Files are not fetched.
func (r *Repository) History(ctx context.Context, tip, until string, limit int) ([]CommitInfo, error) {
	from, ok := parseHash(tip)
	if !ok {
		return nil, promotion.Terminal(fmt.Errorf("%q is no commit", tip))
	}
	end, _ := parseHash(until)
	// Near commits are most of what is looked for: ask for few, then for all.
	for _, depth := range []int{0, min(16, limit), limit} {
		if depth > 0 {
			if err := r.fetchCommitsOnly(ctx, from, depth); err != nil {
				return nil, err
			}
		}
		list, err := r.walkBack(ctx, from, end, limit)
		if !errors.Is(err, errMissing) {
			return list, err
		}
	}
	return nil, fmt.Errorf("the history of %s in %s cannot be read: %w", tip, r.name(), errNotThere)
}

// fetchCommitsOnly fetches commits without what they hold.
func (r *Repository) fetchCommitsOnly(ctx context.Context, from plumbing.Hash, depth int) error {
	if err := r.clone.fetching.enter(ctx); err != nil {
		return err
	}
	defer r.clone.fetching.leave()
	return r.able(ctx, func(s server) error {
		q := ask{wants: []plumbing.Hash{from}, depth: depth, filter: filterAll}
		if !s.filter {
			q.filter = filterNone
			q.haves = r.usable(ctx, "", nil)
		}
		return r.fetchInto(ctx, q)
	})
}

// walkBack goes from parent to parent through commits that are here. One that
// is not gives errMissing.
func (r *Repository) walkBack(ctx context.Context, from, end plumbing.Hash, limit int) ([]CommitInfo, error) {
	var out []CommitInfo
	seen := map[plumbing.Hash]bool{end: true}
	for queue := []plumbing.Hash{from}; len(queue) > 0 && len(out) < limit; {
		h := queue[0]
		queue = queue[1:]
		if seen[h] {
			continue
		}
		seen[h] = true
		o, err := r.local(ctx, h)
		if err != nil {
			return nil, err
		}
		info, err := o.commit()
		if err != nil {
			return nil, promotion.Terminal(err)
		}
		out = append(out, info)
		parents, err := parseHashes(info.Parents)
		if err != nil {
			return nil, promotion.Terminal(err)
		}
		queue = append(queue, parents...)
	}
	return out, nil
}

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
		if a.hash == b.hash && a.mode == b.mode {
			continue
		}
		full := path.Join(dir, name)
		sub := pair{dir: full}
		if a.isDir() {
			sub.left = a.hash
		}
		if b.isDir() {
			sub.right = b.hash
		}
		if a.mode != 0 && !a.isDir() || b.mode != 0 && !b.isDir() {
			d.changed[full] = true
		}
		if sub.left != sub.right {
			next = append(next, sub)
		}
	}
	return next
}
