package gitops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// RefUpdate moves, makes or deletes one ref of the remote by compare-and-swap.
type RefUpdate struct {
	Ref string // its full name: refs/heads/main, refs/tags/v1.2.0
	Old string // what it must point to; empty or zeros: it must not exist
	New string // 40 hex digits; empty: it is deleted
	// Commit and Tag hold the objects of New that the remote lacks; without
	// either, New is there already.
	Commit Commit
	Tag    Tag
}

// UpdateRefs sends several updates in one push. The answers stand in their order:
// nil, promotion.ErrStale when the ref is not at Old, or another error. One that
// fails does not fail the others.
func (r *Repository) UpdateRefs(ctx context.Context, updates ...RefUpdate) []error {
	errs := make([]error, len(updates))
	jobs := make([]*job, len(updates))
	for i, u := range updates {
		parsed, err := u.parse()
		if err != nil {
			errs[i] = promotion.Terminal(fmt.Errorf("push to %s: %w", r.name(), err))
			continue
		}
		jobs[i] = newJob(ctx, r, parsed)
	}
	r.clone.pusher.put(jobs...)
	for i, j := range jobs {
		if j != nil {
			errs[i] = r.clone.pusher.wait(ctx, j)
		}
	}
	return errs
}

// update is a RefUpdate that was found sound.
type update struct {
	ref      plumbing.ReferenceName
	old, new plumbing.Hash
	objects  []*object
}

func (u RefUpdate) parse() (update, error) {
	out := update{ref: plumbing.ReferenceName(u.Ref), objects: slices.Concat(u.Commit.objects, u.Tag.objects)}
	if !strings.HasPrefix(u.Ref, "refs/") || out.ref.Validate() != nil {
		return out, fmt.Errorf("%q is no name of a ref", u.Ref)
	}
	var ok bool
	if out.old, ok = parseHash(u.Old); !ok && u.Old != "" {
		return out, fmt.Errorf("%s: %q is no commit", u.Ref, u.Old)
	}
	if out.new, ok = parseHash(u.New); !ok && u.New != "" {
		return out, fmt.Errorf("%s: %q is no commit", u.Ref, u.New)
	}
	if out.old.IsZero() && out.new.IsZero() {
		return out, fmt.Errorf("%s: it neither is there nor shall be", u.Ref)
	}
	return out, nil
}

// updateRefs sends updates of different refs. What the server can is asked for
// once: that costs a request, and with many refs a long answer. git asks each
// time, so a server may want that: if it answers a push alone with something odd,
// it is asked first, then and from then on.
func (r *Repository) updateRefs(ctx context.Context, updates []update) (answers []error, err error) {
	can := r.clone.receiver()
	if can == nil || r.clone.asksFirst() {
		return r.askAndTransmit(ctx, updates, false)
	}
	if answers, err = r.transmit(ctx, can, updates); !errors.Is(err, errOdd) {
		r.doubt(err)
		return answers, err
	}
	strange := err
	if answers, err = r.askAndTransmit(ctx, updates, true); err != nil {
		return nil, err
	}
	zerolog.Ctx(ctx).Info().AnErr("answer", strange).Msg("the server takes pushes only after it was asked for its refs; from now on it is")
	r.clone.askFirst()
	return answers, nil
}

// doubt lets the server be asked before the next push if this one failed: what it
// can may have changed.
func (r *Repository) doubt(err error) {
	if err != nil {
		r.clone.setReceiver(nil)
	}
}

// askAndTransmit asks for the refs first. Again: a push that got no answer may have
// had its effect, so what the refs show as done is not sent once more.
func (r *Repository) askAndTransmit(ctx context.Context, updates []update, again bool) ([]error, error) {
	adv, err := r.advertised(ctx, receivePack)
	if err != nil {
		return nil, err
	}
	answers := make([]error, len(updates))
	var left []update
	var at []int
	for i, u := range updates {
		if !again || adv.References[u.ref.String()] != u.new {
			left, at = append(left, u), append(at, i)
		}
	}
	if len(left) == 0 {
		return answers, nil
	}
	some, err := r.transmit(ctx, r.clone.receiver(), left)
	if err != nil {
		r.doubt(err)
		return nil, err
	}
	for i, answer := range some {
		answers[at[i]] = answer
	}
	return answers, nil
}

// transmit puts updates of different refs to the server: one POST
// git-receive-pack. The answers stand in the order of the updates; err says that
// none is known.
func (r *Repository) transmit(ctx context.Context, can *capability.List, updates []update) (answers []error, err error) {
	body, err := encodeUpdates(can, updates)
	if err != nil {
		return nil, err
	}
	if err := r.engine.opts.MayPush(ctx, r.clone.id); err != nil {
		return nil, fmt.Errorf("push to %s: %w", r.name(), err)
	}
	r.engine.opts.OnPush(ctx, r.clone.id)
	err = r.call(ctx, receivePack, body, func(answer io.Reader) error {
		answers, err = readReport(answer, can, updates)
		return err
	})
	return answers, err
}

func encodeUpdates(can *capability.List, updates []update) ([]byte, error) {
	cmd := packp.NewReferenceUpdateRequest()
	cmd.Capabilities = can
	needsPack := false
	for _, u := range updates {
		cmd.Commands = append(cmd.Commands, &packp.Command{Name: u.ref, Old: u.old, New: u.new})
		needsPack = needsPack || !u.new.IsZero()
	}
	var pack, body bytes.Buffer
	if needsPack {
		if err := encodePack(&pack, union(updates)); err != nil {
			return nil, fmt.Errorf("write the pack: %w", err)
		}
		cmd.Packfile = io.NopCloser(&pack)
	}
	if err := cmd.Encode(&body); err != nil {
		return nil, fmt.Errorf("write the push: %w", err)
	}
	return body.Bytes(), nil
}

// union lists the objects of updates, each once, in a fixed order.
func union(updates []update) []*object {
	by := map[plumbing.Hash]*object{}
	for _, u := range updates {
		for _, o := range u.objects {
			by[o.hash] = o
		}
	}
	out := make([]*object, 0, len(by))
	for _, o := range by {
		out = append(out, o)
	}
	slices.SortFunc(out, func(x, y *object) int { return cmp.Compare(x.hash.String(), y.hash.String()) })
	return out
}
