package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Freight makes the freight of the versions that were named, and for git sources
// without one of what the clone's branch holds.
func Freight(ctx context.Context, tree Tree, p *promotion.Pipeline, defaultBranch string, named map[string]string, now time.Time) (*promotion.Freight, error) {
	var artifacts []promotion.Artifact
	for _, src := range p.Sources {
		version := named[src.Name]
		delete(named, src.Name)
		a, err := artifact(ctx, tree, src, defaultBranch, version)
		if err != nil {
			return nil, err
		}
		artifacts = append(artifacts, a)
	}
	for name := range named {
		return nil, fmt.Errorf("--freight names the source %q, which the pipeline %s does not have", name, p.Name)
	}
	return promotion.NewFreight(artifacts, 1, now), nil
}

func artifact(ctx context.Context, tree Tree, src promotion.Source, defaultBranch, version string) (promotion.Artifact, error) {
	if src.Git == nil || src.Git.Tags != nil {
		return named(ctx, tree, src, version)
	}
	branch := src.Git.Branch
	if branch == "" {
		branch = defaultBranch
	}
	a := promotion.Artifact{Source: src.Name, Kind: "git", Repo: src.Git.Repo, Branch: branch}
	if isSHA(version) {
		a.Commit = version
		return a, nil
	}
	for _, ref := range []string{version, branch, "HEAD"} {
		if ref == "" {
			continue
		}
		sha, err := tree.Resolve(ctx, ref)
		if err == nil {
			a.Commit = sha
			return a, nil
		}
		if ref == version {
			return a, fmt.Errorf("the source %s: %w", src.Name, err)
		}
	}
	return a, errors.New("the clone has no commit yet")
}

func isSHA(s string) bool { return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == "" }
