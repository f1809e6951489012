package gitops

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// Refs is what the remote's branches and tags point to now.
type Refs struct {
	Default string            // the branch that HEAD names; empty when the remote does not say
	Heads   map[string]string // branch → commit
	Tags    map[string]string // tag → commit, also of annotated tags
}

// Refs asks the remote for its branches and tags: one request, which is no
// fetch. An empty repository has none, and that is no error.
func (r *Repository) Refs(ctx context.Context) (Refs, error) {
	adv, err := r.advertised(ctx, uploadPack)
	if err != nil {
		return Refs{}, err
	}
	refs := Refs{Default: defaultBranch(adv), Heads: map[string]string{}, Tags: map[string]string{}}
	for name, h := range adv.References {
		if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			refs.Heads[branch] = h.String()
		}
		if tag, ok := strings.CutPrefix(name, "refs/tags/"); ok {
			refs.Tags[tag] = h.String()
		}
	}
	for name, h := range adv.Peeled {
		if tag, ok := strings.CutPrefix(name, "refs/tags/"); ok {
			refs.Tags[tag] = h.String()
		}
	}
	return refs, nil
}

// defaultBranch reads symref=HEAD:refs/heads/main.
func defaultBranch(adv *packp.AdvRefs) string {
	for _, value := range adv.Capabilities.Get(capability.SymRef) {
		if branch, ok := strings.CutPrefix(value, "HEAD:refs/heads/"); ok {
			return branch
		}
	}
	return ""
}

// advertised reads the ref advertisement of a service, and what the server can.
func (r *Repository) advertised(ctx context.Context, service string) (*packp.AdvRefs, error) {
	adv := packp.NewAdvRefs()
	err := r.call(ctx, service, nil, func(body io.Reader) error {
		err := adv.Decode(body)
		if errors.Is(err, packp.ErrEmptyAdvRefs) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if service == uploadPack {
		r.clone.learn(adv.Capabilities)
	} else {
		r.clone.setReceiver(adv.Capabilities)
	}
	return adv, nil
}

func (c *clone) learn(can *capability.List) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server = server{
		asked:  true,
		filter: can.Supports(capability.Filter),
		anySHA: can.Supports("allow-reachable-sha1-in-want"),
	}
}

// receiver is what the server's side of a push can, of what we use; nil: it was
// not asked yet.
func (c *clone) receiver() *capability.List {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.can
}

func (c *clone) setReceiver(advertised *capability.List) {
	var can *capability.List
	if advertised != nil {
		can = capability.NewList()
		for _, each := range []capability.Capability{capability.ReportStatus, capability.Sideband64k} {
			if advertised.Supports(each) {
				_ = can.Set(each) // fails for arguments alone
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.can = can
}

// askFirst has the refs asked for before each push from now on.
func (c *clone) askFirst() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.first = true
}

func (c *clone) asksFirst() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

// tip is what a branch points to in an advertisement; zero: it does not exist.
func tip(adv *packp.AdvRefs, branch string) plumbing.Hash {
	return adv.References["refs/heads/"+branch]
}
