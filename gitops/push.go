package gitops

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// maxLook bounds how many commits on top of ours a look goes through.
const maxLook = 500

// PushRequest says which branch to move, from where to where.
type PushRequest struct {
	Branch string
	Old    string // the tip that the branch must have; empty or zeros: it must not exist
	Commit Commit
	// Look says that an earlier try's answer is missing: what it may have left
	// is looked for first, and adopted.
	Look      bool
	Promotion string // its name, by which a commit's trailer tells whose it is
	Tries     int    // how often Deliver puts the change on a new tip; 0 or above 20: 20 times
	// Make makes the commit and moves the branch in another way than by a push,
	// by GitHub's API for example, which signs it; nil: it is pushed. The commit
	// that it returns has the same tree. promotion.ErrStale means that the branch
	// is not at Old, promotion.ErrNotByAPI that a push shall do it after all.
	Make func(ctx context.Context, c promotion.APICommit) (sha string, err error)
}

// Pushed says what a push left on the branch.
type Pushed struct {
	Commit  string // ours on the branch: the one pushed, or the one found there
	Adopted bool   // it was there already: nothing was sent
	Rebased bool   // the branch had moved, and the change was put on its new tip
	Tip     string // of the branch, as last seen; others may be on top of ours
}

// Push moves a branch by compare-and-swap: one request, with a pack of just the
// new objects, which it may share with other pushes to the repository. Where the
// branch is is asked for first when Look says so, and the first time. A branch
// that moved gives promotion.ErrStale, and is left alone. A branch that is at
// the commit already is a success.
func (r *Repository) Push(ctx context.Context, req PushRequest) (Pushed, error) {
	leave, err := r.clone.enterBranch(ctx, req.Branch)
	if err != nil {
		return Pushed{}, fmt.Errorf("push to %s: %w", r.name(), err)
	}
	defer leave()
	done, _, err := r.push(ctx, req)
	return done, err
}

// Begin makes a branch that is missing, with a commit without files, as a pull request
// needs a branch to go to. It returns that commit. A branch that is there by now, but
// for the same request's, gives promotion.ErrStale.
func (r *Repository) Begin(ctx context.Context, branch string, req CommitRequest) (string, error) {
	made := encodeCommit(emptyTree.hash, nil, req.Bot, req.Bot, req.When, req.Message)
	c := Commit{SHA: made.hash.String(), Tree: emptyTree.hash.String(), objects: []*object{emptyTree, made}}
	done, err := r.Push(ctx, PushRequest{Branch: branch, Commit: c})
	return done.Commit, err
}

// push is Push for who has passed the branch's gate. With ErrStale it also
// returns the tip that it saw.
func (r *Repository) push(ctx context.Context, req PushRequest) (Pushed, plumbing.Hash, error) {
	old, ok := parseHash(req.Old)
	if !ok && req.Old != "" {
		return Pushed{}, old, promotion.Terminal(fmt.Errorf("push to %s: %q is no commit", req.Branch, req.Old))
	}
	if req.Commit.Empty || len(req.Commit.objects) == 0 {
		return Pushed{}, old, promotion.Terminal(fmt.Errorf("push to %s: there is no commit to push", req.Branch))
	}
	if req.Look || req.Make == nil && r.clone.receiver() == nil {
		done, now, err := r.seen(ctx, req, old)
		if err != nil || done.Adopted {
			return done, now, err
		}
	}
	sha, err := r.land(ctx, req, old)
	if errors.Is(err, promotion.ErrStale) {
		return r.stale(ctx, req, old, err)
	}
	if err != nil {
		return Pushed{}, old, err
	}
	for _, o := range req.Commit.objects {
		r.engine.memo.put(r.clone.id, o)
	}
	return Pushed{Commit: sha, Tip: sha}, old, nil
}

// land brings the commit onto the branch, in the way that the request says.
func (r *Repository) land(ctx context.Context, req PushRequest, old plumbing.Hash) (sha string, err error) {
	if req.Make == nil {
		return req.Commit.SHA, r.move(ctx, req, old)
	}
	c := promotion.APICommit{
		Branch: req.Branch, Parent: req.Commit.Parent, BaseTree: req.Commit.baseTree, Tree: req.Commit.Tree,
		Files: req.Commit.files, Message: req.Commit.message,
	}
	if !old.IsZero() {
		c.Old = old.String()
	}
	c.Loose = c.Old != "" && c.Old != c.Parent
	sha, err = req.Make(ctx, c)
	if err == nil && c.Loose {
		req.Commit = Commit{SHA: sha} // the remote has it
		return sha, r.move(ctx, req, old)
	}
	if !errors.Is(err, promotion.ErrNotByAPI) {
		return sha, err
	}
	zerolog.Ctx(ctx).Warn().Err(err).Str("branch", req.Branch).Msg("the commit is pushed, and so not signed by GitHub")
	return req.Commit.SHA, r.move(ctx, req, old)
}

// seen looks where the branch is before anything is sent. Nothing is adopted
// when it is at old.
func (r *Repository) seen(ctx context.Context, req PushRequest, old plumbing.Hash) (Pushed, plumbing.Hash, error) {
	adv, err := r.advertised(ctx, receivePack)
	if err != nil {
		return Pushed{}, old, err
	}
	now := tip(adv, req.Branch)
	switch {
	case now.String() == req.Commit.SHA:
		return Pushed{Commit: req.Commit.SHA, Adopted: true, Tip: req.Commit.SHA}, now, nil
	case now != old:
		done, err := r.adopt(ctx, req, now)
		return done, now, err
	}
	return Pushed{}, now, nil
}

// stale looks where the branch is that the server found elsewhere.
func (r *Repository) stale(ctx context.Context, req PushRequest, old plumbing.Hash, stale error) (Pushed, plumbing.Hash, error) {
	done, now, err := r.seen(ctx, req, old)
	if err == nil && !done.Adopted {
		err = stale // it is back where it was, or was but locked for a moment
	}
	return done, now, err
}

// adopt deals with a branch that is elsewhere than it should be: if an earlier
// try may have moved it, its commit is looked for between there and the tip.
func (r *Repository) adopt(ctx context.Context, req PushRequest, now plumbing.Hash) (Pushed, error) {
	stale := fmt.Errorf("push to %s: %w: it is at %s", req.Branch, promotion.ErrStale, shown(now))
	if !req.Look || now.IsZero() {
		return Pushed{}, stale
	}
	commits, err := r.History(ctx, now.String(), req.Old, maxLook)
	if err != nil {
		return Pushed{}, err
	}
	for _, c := range commits {
		named := req.Promotion != "" && promotion.Trailer(c.Message, promotion.TrailerPromotion) == req.Promotion
		if named || c.SHA == req.Commit.SHA {
			return Pushed{Commit: c.SHA, Adopted: true, Tip: now.String()}, nil
		}
	}
	return Pushed{}, stale
}

func shown(h plumbing.Hash) string {
	if h.IsZero() {
		return "nothing: it does not exist"
	}
	return h.String()[:7]
}

// move sends the one update, together with what others send now.
func (r *Repository) move(ctx context.Context, req PushRequest, old plumbing.Hash) error {
	sha, ok := parseHash(req.Commit.SHA)
	if !ok {
		return promotion.Terminal(fmt.Errorf("push to %s: %q is no commit", req.Branch, req.Commit.SHA))
	}
	ref := plumbing.NewBranchReferenceName(req.Branch)
	if ref.Validate() != nil {
		return promotion.Terminal(fmt.Errorf("push to %s: that is no name of a branch", req.Branch))
	}
	j := newJob(ctx, r, update{ref: ref, old: old, new: sha, objects: req.Commit.objects})
	r.clone.pusher.put(j)
	return r.clone.pusher.wait(ctx, j)
}
