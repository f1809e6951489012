package gitops

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// maxTries bounds how often a change is put on a new tip.
const maxTries = 20

// Delivered is what Deliver did.
type Delivered struct {
	Commit Commit // as it was pushed; Empty: there was nothing to change
	Pushed Pushed
}

// Deliver commits what was written in a workspace and pushes it. When the
// branch moved meanwhile, and nothing that the workspace read or wrote changed
// there, the same files are put on the new tip, again and again if need be.
// Otherwise it returns promotion.ErrStale: the caller runs the editing steps
// again. push.Old is the tip to begin with; push.Commit is not used, and
// req.Parent is push.Old unless it is set.
//
// Where there is nothing to change, nothing is pushed.
func (r *Repository) Deliver(ctx context.Context, ws *Workspace, req CommitRequest, push PushRequest) (Delivered, error) {
	leave, err := r.clone.enterBranch(ctx, push.Branch)
	if err != nil {
		return Delivered{}, fmt.Errorf("push to %s: %w", r.name(), err)
	}
	defer leave()
	edits, err := ws.edits(req.Path)
	if err != nil {
		return Delivered{}, err
	}
	if req.Parent == "" && push.Old != plumbing.ZeroHash.String() {
		req.Parent = push.Old
	}
	return r.deliver(ctx, ws, edits, req, push)
}

func (r *Repository) deliver(ctx context.Context, ws *Workspace, edits map[string]node, req CommitRequest, push PushRequest) (Delivered, error) {
	begin, tries := req.Parent, maxTries
	if push.Tries > 0 {
		tries = min(push.Tries, maxTries)
	}
	for try := range tries {
		done, now, err := r.deliverOnce(ctx, edits, req, push)
		if err == nil {
			done.Pushed.Rebased = try > 0 && !done.Pushed.Adopted && !done.Commit.Empty
			return done, nil
		}
		if !errors.Is(err, promotion.ErrStale) {
			return Delivered{}, err
		}
		if err := r.mayRebase(ctx, ws, req.Path, begin, now); err != nil {
			return Delivered{}, err
		}
		req.Parent, push.Old = now, now
		push.Look = false // it was looked for
		if err := pause(ctx, try); err != nil {
			return Delivered{}, err
		}
	}
	return Delivered{}, fmt.Errorf("push to %s: the branch moved %d times in a row: others push to it all the time", push.Branch, tries)
}

// deliverOnce commits and pushes on one tip. With ErrStale it also returns the
// tip that it saw, or asks for it.
func (r *Repository) deliverOnce(ctx context.Context, edits map[string]node, req CommitRequest, push PushRequest) (Delivered, string, error) {
	c, err := r.commitEdits(ctx, edits, req)
	if err != nil {
		return Delivered{}, "", err
	}
	if c.Empty {
		return Delivered{Commit: c, Pushed: Pushed{Tip: push.Old}}, "", nil
	}
	push.Commit = c
	pushed, now, err := r.push(ctx, push)
	if !errors.Is(err, promotion.ErrStale) {
		return Delivered{Commit: c, Pushed: pushed}, "", err
	}
	if now.IsZero() {
		return Delivered{}, "", fmt.Errorf("push to %s: %w: it was deleted", push.Branch, promotion.ErrStale)
	}
	return Delivered{}, now.String(), err
}

// mayRebase says whether what was written still holds on another tip: nothing
// that was read or written changed there. It returns ErrStale if not.
func (r *Repository) mayRebase(ctx context.Context, ws *Workspace, at, from, to string) error {
	if to == "" {
		return fmt.Errorf("the branch is gone: %w", promotion.ErrStale)
	}
	changed, err := r.ChangedPaths(ctx, from, to)
	if err != nil {
		return err
	}
	touched, err := ws.touched(at)
	if err != nil {
		return err
	}
	for _, c := range changed {
		for _, t := range touched {
			if overlaps(t, c) {
				return fmt.Errorf("%s changed: %w", c, promotion.ErrStale)
			}
		}
	}
	return nil
}

// touched lists what was read or written under a mount, by path in it.
func (w *Workspace) touched(at string) ([]string, error) {
	at, err := cleanPath(at)
	if err != nil {
		return nil, err
	}
	names := sortedKeys(w.over.nodes)
	names = append(names, sortedKeys(w.reads)...)
	var out []string
	for _, name := range names {
		clean, isDir := strings.CutSuffix(name, "/")
		m, rel, ok := w.mountOf(clean)
		if !ok || m.Path != at {
			continue
		}
		if isDir {
			rel += "/"
		}
		out = append(out, rel)
	}
	return out, nil
}

// overlaps says whether a changed path touches a file, one that stands where a
// folder on its way was, or, with a slash at the end, anything in that folder.
func overlaps(touched, changed string) bool {
	dir, isDir := strings.CutSuffix(touched, "/")
	if isDir {
		return dir == "." || inside(dir, changed) || changed == dir || inside(changed, dir)
	}
	return touched == changed || inside(changed, touched) || inside(touched, changed)
}

// pause waits a little, longer with each try, so that racing pushers part.
func pause(ctx context.Context, try int) error {
	t := time.NewTimer(time.Duration(1+rand.Int64N(int64(10*(try+1)))) * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
