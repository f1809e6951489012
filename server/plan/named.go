package plan

import (
	"context"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// named is the artifact of a source that only its registry or its GitHub knows:
// offline its version has to be given, and is taken at its word.
func named(ctx context.Context, tree Tree, src promotion.Source, version string) (promotion.Artifact, error) {
	a := promotion.Artifact{Source: src.Name}
	if version == "" {
		return a, fmt.Errorf("the source %s is not asked for its newest version here: give one by --freight %s=VERSION", src.Name, src.Name)
	}
	a.Tag, a.Digest, _ = strings.Cut(version, "@")
	switch {
	case src.Image != nil:
		a.Kind, a.Repo = promotion.ArtifactImage, src.Image.Repo
		if a.Digest != "" && !strings.HasPrefix(a.Digest, "sha256:") {
			return a, fmt.Errorf("the source %s: %q is no digest; write TAG@sha256:…", src.Name, a.Digest)
		}
		return a, nil
	case src.Chart != nil:
		a.Kind, a.Repo = promotion.ArtifactChart, src.Chart.Repo
		if !src.Chart.OCI() {
			a.Repo = strings.TrimRight(src.Chart.Repo, "/") + "/" + src.Chart.Name
		}
	case src.Release != nil:
		a.Kind, a.Repo = promotion.ArtifactRelease, src.Release.Repo
	default:
		a.Kind, a.Repo = promotion.ArtifactGit, src.Git.Repo
	}
	if a.Digest != "" {
		return a, fmt.Errorf("the source %s is no image: its version has no digest", src.Name)
	}
	if src.Git == nil || src.Git.Repo != "" {
		return a, nil // its commit stays unknown: it is not in this clone
	}
	var err error
	if a.Commit, err = tree.Resolve(ctx, a.Tag); err != nil {
		return a, fmt.Errorf("the source %s: %w", src.Name, err)
	}
	return a, nil
}
