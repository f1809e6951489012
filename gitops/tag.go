package gitops

import (
	"context"
	"errors"
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

// TagPush says which tag to make on the remote.
type TagPush struct {
	Tag Tag
	// Commit is the tagged one where the remote may lack it.
	Commit Commit
	// Look says that an earlier try's answer is missing: what it may have left is
	// looked for first.
	Look bool
}

// TagMoved means that the tag is there already, at another commit. It is a
// promotion.ErrStale.
type TagMoved struct{ Name, At string }

func (t *TagMoved) Error() string {
	return fmt.Sprintf("push the tag %s: %v: it is at %.7s already", t.Name, promotion.ErrStale, t.At)
}

// Is makes it a promotion.ErrStale.
func (t *TagMoved) Is(target error) bool { return target == promotion.ErrStale }

// PushTag makes a tag on the remote. A tag that is there already is never moved:
// one of the same commit is adopted, another is a TagMoved.
func (r *Repository) PushTag(ctx context.Context, p TagPush) (adopted bool, err error) {
	if p.Look {
		if there, err := r.tagged(ctx, p.Tag); there || err != nil {
			return there, err
		}
	}
	err = r.UpdateRefs(ctx, RefUpdate{Ref: "refs/tags/" + p.Tag.Name, New: p.Tag.SHA, Tag: p.Tag, Commit: p.Commit})[0]
	if !errors.Is(err, promotion.ErrStale) {
		return false, err
	}
	if there, looked := r.tagged(ctx, p.Tag); there || looked != nil {
		return there, looked
	}
	return false, err // it was but locked for a moment
}

// tagged reports whether the tag is on the remote, at its commit.
func (r *Repository) tagged(ctx context.Context, t Tag) (bool, error) {
	refs, err := r.Refs(ctx)
	if err != nil {
		return false, err
	}
	at := refs.Tags[t.Name]
	if at != "" && at != t.Target {
		return false, &TagMoved{t.Name, at}
	}
	return at != "", nil
}
