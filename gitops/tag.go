package gitops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// TagRequest says how to tag a commit.
type TagRequest struct {
	Name    string // without refs/tags/
	Target  string // the commit, 40 hex digits
	Message string // empty: a lightweight tag, which is a name alone
	Tagger  Ident
	When    time.Time // to the second: the same request gives the same tag
}

// Tag is a tag made among objects. It is nowhere but in this value until PushTag
// sends it.
type Tag struct {
	Name   string
	SHA    string // what refs/tags/Name shall point to
	Target string // the commit

	objects []*object
}

// NewTag makes a tag. It asks nobody anything.
func NewTag(req TagRequest) (Tag, error) {
	target, ok := parseHash(req.Target)
	if !ok {
		return Tag{}, promotion.Terminal(fmt.Errorf("tag %s: %q is no commit", req.Name, req.Target))
	}
	if plumbing.NewTagReferenceName(req.Name).Validate() != nil {
		return Tag{}, promotion.Terminal(fmt.Errorf("%q is no name of a tag", req.Name))
	}
	if strings.TrimSpace(req.Message) == "" {
		return Tag{Name: req.Name, SHA: req.Target, Target: req.Target}, nil
	}
	o := encodeTag(req, target)
	return Tag{Name: req.Name, SHA: o.hash.String(), Target: req.Target, objects: []*object{o}}, nil
}

func encodeTag(req TagRequest, target plumbing.Hash) *object {
	message := strings.ToValidUTF8(strings.ReplaceAll(req.Message, "\x00", ""), "\uFFFD")
	return newObject(plumbing.TagObject, fmt.Appendf(nil, "object %s\ntype commit\ntag %s\ntagger %s %d +0000\n\n%s\n",
		target, req.Name, req.Tagger, req.When.Unix(), strings.TrimRight(message, "\n")))
}

// PushTag makes a tag on the remote, which must have its commit. A tag that is
// there already is never moved: one of the same commit is adopted, another is
// promotion.ErrStale.
func (r *Repository) PushTag(ctx context.Context, t Tag) (adopted bool, err error) {
	err = r.UpdateRefs(ctx, RefUpdate{Ref: "refs/tags/" + t.Name, New: t.SHA, Tag: t})[0]
	if err == nil {
		return false, nil
	}
	if _, waits := promotion.WaitOf(err); waits {
		return false, err
	}
	// It may be there by an earlier try whose answer got lost.
	refs, askErr := r.Refs(ctx)
	switch {
	case askErr != nil || refs.Tags[t.Name] == "":
		return false, err
	case refs.Tags[t.Name] == t.Target:
		return true, nil
	}
	return false, fmt.Errorf("push the tag %s: %w: it is at %s already", t.Name, promotion.ErrStale, refs.Tags[t.Name][:7])
}
