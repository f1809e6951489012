package helm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/Masterminds/semver/v3"
	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// The bounds of what a repository may send.
const (
	maxIndex   = 64 << 20
	maxArchive = 20 << 20
)

// indexed is a chart version in the index of a repository:
// https://helm.sh/docs/topics/chart_repository/#the-index-file
type indexed struct {
	Version string   `yaml:"version"`
	URLs    []string `yaml:"urls"`
	Digest  string   `yaml:"digest"` // SHA-256; may be missing
}

// index gets a repository's index, once in a step.
func (f *fetcher) index(ctx context.Context, repository string) (map[string][]indexed, error) {
	if index, known := f.indexes[repository]; known {
		return index, nil
	}
	at := strings.TrimSuffix(repository, "/") + "/index.yaml"
	content, err := f.get(ctx, request{url: at, most: maxIndex})
	if err != nil {
		return nil, err
	}
	var index struct {
		Entries map[string][]indexed `yaml:"entries"`
	}
	if err := yaml.Unmarshal(content, &index); err != nil {
		return nil, step.Refuse("%s is no index of charts: %w", at, err)
	}
	f.indexes[repository] = index.Entries
	return index.Entries, nil
}

// fromRepository gets a chart's archive from a repository over HTTP.
func (f *fetcher) fromRepository(ctx context.Context, repository, name, constraint string) (version string, content []byte, err error) {
	index, err := f.index(ctx, repository)
	if err != nil {
		return "", nil, err
	}
	versions := make([]string, len(index[name]))
	for i, entry := range index[name] {
		versions[i] = entry.Version
	}
	i, err := newest(versions, constraint)
	if err != nil {
		return "", nil, step.Refuse("the chart %s in %s: %w", name, repository, err)
	}
	entry := index[name][i]
	if len(entry.URLs) == 0 {
		return "", nil, step.Refuse("the index of %s has no address for %s %s", repository, name, entry.Version)
	}
	at, err := against(strings.TrimSuffix(repository, "/")+"/", entry.URLs[0])
	if err != nil {
		return "", nil, err
	}
	if content, err = f.get(ctx, request{url: at, most: maxArchive}); err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256(content)
	if want := strings.TrimPrefix(entry.Digest, "sha256:"); want != "" && !strings.EqualFold(want, hex.EncodeToString(sum[:])) {
		return "", nil, step.Refuse("%s is not the archive that the repository's index names: its SHA-256 is %x, not %s", at, sum, want)
	}
	return entry.Version, content, nil
}

// newest returns the index of the newest version that a constraint allows. What
// is no version is passed over. Prereleases count where the constraint has one.
func newest(versions []string, constraint string) (int, error) {
	if constraint == "" {
		constraint = "*"
	}
	allowed, err := semver.NewConstraint(constraint)
	if err != nil {
		return 0, step.Refuse("%q is neither a version nor a range of versions: %w", constraint, err)
	}
	best, bestVersion := -1, (*semver.Version)(nil)
	for i, text := range versions {
		v, err := semver.NewVersion(text)
		if err != nil || !allowed.Check(v) && text != constraint {
			continue
		}
		if best < 0 || v.GreaterThan(bestVersion) {
			best, bestVersion = i, v
		}
	}
	switch {
	case len(versions) == 0:
		return 0, step.Refuse("there is none")
	case best < 0:
		return 0, step.Refuse("none of its %d versions is %s", len(versions), constraint)
	}
	return best, nil
}
