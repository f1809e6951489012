package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry/tag"
)

// The bounds of one look. Beyond them the pipeline file has to say more.
const (
	mostTags  = 50_000
	mostTries = 10 // of the newest tags, until one has the platform
)

// Image finds the newest image of a source, or one version of it: a tag, or
// tag@digest.
func (c *Client) Image(ctx context.Context, q Query, src promotion.ImageSource) (Found, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	l, err := c.newLook(q, src)
	if err != nil {
		return Found{}, promotion.Terminal(err)
	}
	switch {
	case q.Version != "":
		return l.version(ctx)
	case src.Select == promotion.SelectDigest:
		return l.one(ctx)
	}
	tags, err := l.tags(ctx)
	if err != nil {
		return Found{}, err
	}
	out := Found{Gone: l.gone(tags)}
	newest := l.choice.Newest(tags)
	if src.Select == promotion.SelectNewest {
		newest, err = l.byAge(ctx, newest)
	}
	if err == nil {
		out.Artifact, err = l.first(ctx, newest)
	}
	return out, err
}

// look is one look at a repository of images.
type look struct {
	Query
	src    promotion.ImageSource
	tenant *tenant
	repo   name.Repository
	choice *tag.Choice
}

func (c *Client) newLook(q Query, src promotion.ImageSource) (*look, error) {
	repo, err := name.NewRepository(src.Repo)
	if err != nil {
		return nil, fmt.Errorf("%q names no image: %w", src.Repo, err)
	}
	choice, err := tag.Read(src.TagRule)
	if err != nil {
		return nil, err
	}
	t, err := c.tenant(q.Owner)
	return &look{Query: q, src: src, tenant: t, repo: repo, choice: choice}, err
}

// tags lists all tags of the repository.
func (l *look) tags(ctx context.Context) ([]string, error) {
	doing := "list the tags of " + l.src.Repo
	lister, err := l.tenant.puller.Lister(ctx, l.repo)
	if err != nil {
		return nil, told(doing, err)
	}
	var out []string
	for lister.HasNext() {
		page, err := lister.Next(ctx)
		if err != nil {
			return nil, told(doing, err)
		}
		if out = append(out, page.Tags...); len(out) > mostTags {
			return nil, promotion.Terminal(fmt.Errorf("%s: there are more than %d", doing, mostTags))
		}
	}
	return out, nil
}

// gone says that the artifact which was the newest is no longer in the list.
func (l *look) gone(tags []string) string {
	if l.Known == nil || l.Known.Tag == "" || slices.Contains(tags, l.Known.Tag) {
		return ""
	}
	return fmt.Sprintf("the tag %s is not in %s any more", l.Known.Tag, l.src.Repo)
}

// errPlatform says that an image lacks the platform that is asked for.
var errPlatform = errors.New("the image is not for this platform")

// first is the artifact of the first tag whose image has the platform.
func (l *look) first(ctx context.Context, tags []string) (*promotion.Artifact, error) {
	for _, t := range tags[:min(len(tags), mostTries)] {
		a, err := l.artifact(ctx, t)
		if errors.Is(err, errPlatform) || isNone(err) {
			continue // it was removed since the list was made
		}
		return a, err
	}
	if len(tags) > mostTries {
		return nil, promotion.Terminal(fmt.Errorf("none of the newest %d tags of %s is for %s", mostTries, l.src.Repo, l.src.Platform))
	}
	return nil, nil
}

// one is the artifact of the tag that the source names.
func (l *look) one(ctx context.Context) (Found, error) {
	a, err := l.artifact(ctx, l.src.Constraint)
	out := Found{Artifact: a, Floats: true}
	if isNone(err) {
		if l.Known != nil {
			out.Gone = fmt.Sprintf("the tag %s is not in %s any more", l.src.Constraint, l.src.Repo)
		}
		return out, nil
	}
	if errors.Is(err, errPlatform) {
		err = promotion.Terminal(fmt.Errorf("%s:%s: %w: %s", l.src.Repo, l.src.Constraint, err, l.src.Platform))
	}
	return out, err
}

// version is the artifact that a person names. The patterns of the source hold for
// it, its constraint does not: that says what is the newest.
func (l *look) version(ctx context.Context) (Found, error) {
	t, digest, _ := strings.Cut(l.Version, "@")
	if _, err := name.NewTag(l.src.Repo + ":" + t); err != nil || !l.choice.Permits(t) {
		return Found{}, nil
	}
	a, err := l.artifact(ctx, t)
	switch {
	case isNone(err), errors.Is(err, errPlatform):
		return Found{}, nil
	case err == nil && digest != "" && a.Digest != digest:
		return Found{}, promotion.Terminal(fmt.Errorf("%s:%s is %s, not %s", l.src.Repo, t, a.Digest, digest))
	}
	return Found{Artifact: a}, err
}

// artifact reads what a tag points to. An image that was seen before is not read
// any further.
func (l *look) artifact(ctx context.Context, t string) (*promotion.Artifact, error) {
	d, err := l.manifest(ctx, t)
	if err != nil {
		return nil, err
	}
	if l.Known != nil && l.Known.Tag == t && l.Known.Digest == d.Digest.String() {
		known := *l.Known
		return &known, nil
	}
	about, err := l.about(d)
	if err != nil {
		return nil, err
	}
	return &promotion.Artifact{
		Source: l.Source, Kind: promotion.ArtifactImage, Repo: l.src.Repo, Tag: t, Digest: d.Digest.String(),
		Title: about.title(), At: about.created, From: kept(about.source), Revision: kept(about.revision),
	}, nil
}

func (l *look) manifest(ctx context.Context, t string) (*remote.Descriptor, error) {
	d, err := l.tenant.puller.Get(ctx, l.repo.Tag(t))
	if err != nil {
		return nil, told("read "+l.src.Repo+":"+t, err)
	}
	return d, nil
}
