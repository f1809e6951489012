package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// The bounds of a repository that is fetched whole at first sight. A larger one
// is fetched as it is read.
const (
	smallTrees   = 64   // missing folders of one level
	smallEntries = 4000 // files and folders looked at
)

// Fetch makes sure that commits are in the clone, with their root trees; what
// they hold comes now or when it is read. Nothing is asked when they are there.
// have names commits that may be here already, best the branch's tip before:
// then just what changed comes, with one request.
//
// A repository never seen is looked over level by level. Small ones are then
// fetched whole, so that later promotions find everything here.
func (r *Repository) Fetch(ctx context.Context, want []string, have ...string) error {
	return r.fetch(ctx, "", want, have)
}

// fetch is Fetch for a commit that is the tip of branch; "" when it is none.
func (r *Repository) fetch(ctx context.Context, branch string, want, have []string) error {
	wants, err := parseHashes(want)
	if err != nil {
		return promotion.Terminal(err)
	}
	if len(r.lacking(ctx, wants)) == 0 {
		return r.rememberHead(ctx, branch, wants)
	}
	if err := r.clone.fetching.enter(ctx); err != nil {
		return err
	}
	defer r.clone.fetching.leave()
	if wants = r.lacking(ctx, wants); len(wants) == 0 {
		return nil // another one fetched them meanwhile
	}
	if err := r.fetchCommits(ctx, wants, r.usable(ctx, branch, have)); err != nil {
		return err
	}
	if left := r.lacking(ctx, wants); len(left) > 0 {
		return fmt.Errorf("fetch from %s: %w: commit %s", r.name(), errNotThere, left[0])
	}
	return r.rememberHead(ctx, branch, wants)
}

func (r *Repository) rememberHead(ctx context.Context, branch string, wants []plumbing.Hash) error {
	if branch == "" || len(wants) == 0 {
		return nil
	}
	s, err := r.clone.store(ctx)
	if err != nil || !s.has(wants[0]) {
		return err
	}
	return s.setHead(branch, wants[0])
}

// lacking returns the commits that are not here with their root trees.
func (r *Repository) lacking(ctx context.Context, wants []plumbing.Hash) []plumbing.Hash {
	var out []plumbing.Hash
	for _, h := range wants {
		if root, err := r.rootOf(ctx, h); err != nil || !r.holds(ctx, root) {
			out = append(out, h)
		}
	}
	return out
}

// rootOf returns the root tree of a commit that is here.
func (r *Repository) rootOf(ctx context.Context, commit plumbing.Hash) (plumbing.Hash, error) {
	o, err := r.local(ctx, commit)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	info, err := o.commit()
	if err != nil {
		return plumbing.ZeroHash, promotion.Terminal(err)
	}
	root, _ := parseHash(info.Tree)
	return root, nil
}

// usable picks the commits that the remote need not send again: those named by
// the caller and here, else the remembered tip of the branch, else two others.
func (r *Repository) usable(ctx context.Context, branch string, have []string) []plumbing.Hash {
	s, err := r.clone.store(ctx)
	if err != nil {
		return nil
	}
	named, _ := parseHashes(have)
	var out []plumbing.Hash
	for _, h := range append(named, s.known(branch, 2)...) {
		if len(r.lacking(ctx, []plumbing.Hash{h})) == 0 && len(out) < 4 {
			out = append(out, h)
		}
	}
	return out
}

func (r *Repository) fetchCommits(ctx context.Context, wants, haves []plumbing.Hash) error {
	if len(haves) > 0 {
		err := r.able(ctx, func(s server) error { return r.fetchAdded(ctx, wants, haves, s) })
		if err == nil || ctx.Err() != nil || !mayBeRefusal(err) {
			return err
		}
	}
	for _, h := range wants {
		err := r.able(ctx, func(s server) error { return r.fetchFirst(ctx, h, s) })
		if errors.Is(err, errNotThere) && !r.clone.abilities().anySHA {
			err = r.fetchHistory(ctx, h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetchAdded asks for what is in wants and not in haves, without history. A
// server counts on all of have's content being here; where it is not, it is
// fetched when it is read.
func (r *Repository) fetchAdded(ctx context.Context, wants, haves []plumbing.Hash, s server) error {
	q := ask{wants: wants, haves: haves, depth: 1}
	if s.lazy() {
		q.filter = filterLarge
	}
	return r.fetchInto(ctx, q)
}

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
	return r.fetchWhole(ctx, commit, s, filterSmall)
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
	s, err := r.clone.store(ctx)
	if err != nil {
		return err
	}
	for _, depth := range []int{64, 0} {
		if len(tips) == 0 || r.holds(ctx, commit) {
			break
		}
		q := ask{wants: unique(tips), depth: depth}
		err := r.upload(ctx, q, func(pack io.Reader) error { return s.addStream(pack) })
		if err != nil {
			return err
		}
	}
	if !r.holds(ctx, commit) {
		return fmt.Errorf("fetch from %s: %w: commit %s", r.name(), errNotThere, commit)
	}
	return nil
}

// mayBeRefusal says whether an error may come of having asked for more than the
// server can give: not so for rate limits, permissions and slow answers.
func mayBeRefusal(err error) bool {
	_, waits := promotion.WaitOf(err)
	var missing *promotion.MissingPermission
	return !waits && !errors.As(err, &missing) && !errors.Is(err, errTimeout) && !errors.Is(err, ErrClosed)
}
