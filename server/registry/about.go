package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// about is what an image says of itself, by the annotations of
// https://github.com/opencontainers/image-spec/blob/main/annotations.md
type about struct {
	revision, source, version string
	created                   time.Time
}

const annotation = "org.opencontainers.image."

func (a *about) read(said map[string]string) {
	a.revision = cmp.Or(a.revision, said[annotation+"revision"])
	a.source = cmp.Or(a.source, said[annotation+"source"])
	a.version = cmp.Or(a.version, said[annotation+"version"])
	if at, err := time.Parse(time.RFC3339, said[annotation+"created"]); err == nil && a.created.IsZero() {
		a.created = at.UTC()
	}
}

// longestTitle is how much of an image's own words is taken over.
const longestTitle = 200 // bytes

// title is what people are told of the image.
func (a *about) title() string {
	var parts []string
	if a.version != "" {
		parts = append(parts, "version "+a.version)
	}
	if a.source != "" {
		parts = append(parts, "from "+a.source)
	}
	if a.revision != "" {
		parts = append(parts, "at "+a.revision[:min(len(a.revision), 12)])
	}
	title := strings.Join(parts, " ")
	return strings.ToValidUTF8(title[:min(len(title), longestTitle)], "")
}

// kept is what of an image's own words goes on: none that is too long to be meant.
func kept(said string) string {
	if len(said) > longestTitle || !utf8.ValidString(said) {
		return ""
	}
	return said
}

// about reads what an image says of itself, and whether it has the platform. An
// index of several platforms speaks for itself; a single image's labels stand in
// its config, which is one request more.
func (l *look) about(d *remote.Descriptor) (about, error) {
	var a about
	a.read(d.Annotations)
	if d.MediaType.IsIndex() {
		index, err := d.ImageIndex()
		if err != nil {
			return a, told("read the index of "+l.src.Repo, err)
		}
		m, err := index.IndexManifest()
		if err != nil {
			return a, promotion.Terminal(fmt.Errorf("read the index of %s: %w", l.src.Repo, err))
		}
		a.read(m.Annotations)
		return a, l.offers(m.Manifests, &a)
	}
	if !d.MediaType.IsImage() {
		return a, nil // an artifact of another kind has no platform
	}
	img, err := d.Image()
	if err != nil {
		return a, told("read "+l.src.Repo, err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		return a, told("read the config of "+l.src.Repo, err)
	}
	a.read(config.Config.Labels)
	if a.created.IsZero() {
		a.created = config.Created.Time.UTC()
	}
	p := v1.Platform{OS: config.OS, Architecture: config.Architecture, Variant: config.Variant}
	return a, l.isFor(p)
}

// offers reports by errPlatform whether none of the images is for the platform.
func (l *look) offers(images []v1.Descriptor, a *about) error {
	i := slices.IndexFunc(images, func(d v1.Descriptor) bool { return d.Platform != nil && l.isFor(*d.Platform) == nil })
	if i >= 0 {
		a.read(images[i].Annotations)
		return nil
	}
	if l.src.Platform == "" {
		return nil
	}
	return errPlatform
}

func (l *look) isFor(p v1.Platform) error {
	if l.src.Platform == "" {
		return nil
	}
	want, err := v1.ParsePlatform(l.src.Platform)
	if err != nil {
		return promotion.Terminal(fmt.Errorf("platform %q: %w", l.src.Platform, err))
	}
	if p.Satisfies(*want) {
		return nil
	}
	return errPlatform
}

// built is when the image of a tag was built.
type built struct{ at time.Time }

// mostBuilt is how many images one look reads the time of.
const mostBuilt = 300

// byAge puts the tags into the order in which their images were built, the last one
// first. The tags of a source that selects by age are taken not to move: the time
// of one is read once.
func (l *look) byAge(ctx context.Context, tags []string) ([]string, error) {
	ages, unread := map[string]time.Time{}, 0
	for _, t := range tags {
		key := l.repo.Name() + ":" + t
		known, ok := l.tenant.built.Get(key)
		if !ok {
			if unread++; unread > mostBuilt {
				return nil, promotion.Terminal(fmt.Errorf("%s has more than %d tags that count: let allowTags name fewer, or select by semver or lexical", l.src.Repo, mostBuilt))
			}
			at, err := l.age(ctx, t)
			if err != nil {
				return nil, err
			}
			known = built{at}
			l.tenant.built.Add(key, known)
		}
		ages[t] = known.at
	}
	slices.SortStableFunc(tags, func(a, b string) int { return ages[b].Compare(ages[a]) })
	return tags, nil
}

// age is when the image of a tag was built; zero: it does not say.
func (l *look) age(ctx context.Context, t string) (time.Time, error) {
	d, err := l.manifest(ctx, t)
	if isNone(err) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	a, err := l.about(d)
	if err != nil && err != errPlatform {
		return time.Time{}, err
	}
	if !a.created.IsZero() || !d.MediaType.IsIndex() {
		return a.created, nil
	}
	img, err := d.Image() // of the platform of this kind of machine: all are built together
	if err != nil {
		return time.Time{}, nil
	}
	config, err := img.ConfigFile()
	if err != nil {
		return time.Time{}, told("read the config of "+l.src.Repo+":"+t, err)
	}
	return config.Created.Time.UTC(), nil
}
