package gitops

import (
	"context"
	"errors"
	"fmt"

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
