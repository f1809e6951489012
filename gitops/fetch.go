package gitops

import (
	"context"
	"errors"
	"fmt"

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

// mayBeRefusal says whether an error may come of having asked for more than the
// server can give: not so for rate limits, permissions and slow answers.
func mayBeRefusal(err error) bool {
	_, waits := promotion.WaitOf(err)
	var missing *promotion.MissingPermission
	return !waits && !errors.As(err, &missing) && !errors.Is(err, errTimeout) && !errors.Is(err, ErrClosed)
}
