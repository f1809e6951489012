package gitops

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

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
}

// Pushed says what a push left on the branch.
type Pushed struct {
	Commit  string // ours on the branch: the one pushed, or the one found there
	Adopted bool   // it was there already: nothing was sent
	Rebased bool   // the branch had moved, and the change was put on its new tip
	Tip     string // of the branch, as last seen; others may be on top of ours
}

// Push moves a branch by compare-and-swap: two requests, of which one sends a
// pack with just the new objects. A branch that moved gives
// promotion.ErrStale, and is left alone. A branch that is at the commit already
// is a success.
func (r *Repository) Push(ctx context.Context, req PushRequest) (Pushed, error) {
	leave, err := r.clone.enterBranch(ctx, req.Branch)
	if err != nil {
		return Pushed{}, fmt.Errorf("push to %s: %w", r.name(), err)
	}
	defer leave()
	done, _, err := r.push(ctx, req)
	return done, err
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
	adv, err := r.advertised(ctx, receivePack)
	if err != nil {
		return Pushed{}, old, err
	}
	now := tip(adv, req.Branch)
	if now.String() == req.Commit.SHA {
		return Pushed{Commit: req.Commit.SHA, Adopted: true, Tip: req.Commit.SHA}, now, nil
	}
	if now != old {
		done, err := r.adopt(ctx, req, now)
		return done, now, err
	}
	if err := r.update(ctx, req, old, adv); err != nil {
		return Pushed{}, now, err
	}
	for _, o := range req.Commit.objects {
		r.engine.memo.put(r.clone.id, o)
	}
	return Pushed{Commit: req.Commit.SHA, Tip: req.Commit.SHA}, now, nil
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

// update sends the one command: POST git-receive-pack.
func (r *Repository) update(ctx context.Context, req PushRequest, old plumbing.Hash, adv *packp.AdvRefs) error {
	sha, ok := parseHash(req.Commit.SHA)
	if !ok {
		return promotion.Terminal(fmt.Errorf("push to %s: %q is no commit", req.Branch, req.Commit.SHA))
	}
	cmd := packp.NewReferenceUpdateRequest()
	for _, c := range []capability.Capability{capability.ReportStatus, capability.Sideband64k} {
		if adv.Capabilities.Supports(c) {
			_ = cmd.Capabilities.Set(c) // fails for arguments alone
		}
	}
	cmd.Commands = []*packp.Command{{Name: plumbing.NewBranchReferenceName(req.Branch), Old: old, New: sha}}
	var pack, body bytes.Buffer
	if err := encodePack(&pack, req.Commit.objects); err != nil {
		return fmt.Errorf("push to %s: %w", req.Branch, err)
	}
	cmd.Packfile = io.NopCloser(&pack)
	if err := cmd.Encode(&body); err != nil {
		return fmt.Errorf("push to %s: %w", req.Branch, err)
	}
	r.engine.opts.OnPush(ctx, r.clone.id)
	return r.call(ctx, receivePack, body.Bytes(), func(answer io.Reader) error {
		return readReport(answer, cmd.Capabilities, req.Branch)
	})
}
