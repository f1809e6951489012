package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// sharePaths are where a repository says whom it shares with.
var sharePaths = pipelinePaths[:2]

// readable is a repository that the pipelines of own may have as a source: own
// itself, one that shares with it, or a public one. One that is not there and one
// that does not share are told alike: nobody learns of private repositories so.
func (r *Runner) readable(ctx context.Context, own promotion.Repo, fullName string) (promotion.Repo, error) {
	if fullName == "" || strings.EqualFold(fullName, own.FullName()) {
		return own, nil
	}
	found, known := promotion.Repo{}, false
	if r.Find != nil {
		found, known = r.Find(ctx, fullName)
	}
	if known {
		shares, err := r.shares(ctx, found, own)
		if err != nil || shares {
			return found, err
		}
	}
	owner, name, _ := strings.Cut(fullName, "/")
	public, err := r.GitHub.Public(ctx, own, owner, name)
	switch {
	case err != nil:
		return found, err
	case public == nil:
		return found, promotion.Terminal(fmt.Errorf("%s cannot be read: install the app there, and let its .github/stagecoach.yml say `share: [%s]`", fullName, own.FullName()))
	case known && public.ID == found.ID:
		return found, nil
	}
	return *public, nil
}

// shares reports whether the default branch of a repository says that it shares
// with another one.
func (r *Runner) shares(ctx context.Context, from, with promotion.Repo) (bool, error) {
	git := r.repository(from)
	refs, err := git.Refs(ctx)
	if err != nil {
		return false, fmt.Errorf("ask %s whom it shares with: %w", from.FullName(), err)
	}
	tip := refs.Heads[refs.Default]
	if tip == "" {
		return false, nil
	}
	files, err := git.ReadFiles(ctx, tip, sharePaths...)
	if err != nil {
		return false, fmt.Errorf("ask %s whom it shares with: %w", from.FullName(), err)
	}
	for _, f := range files {
		names, _ := config.Shares(f.Content)
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, with.FullName()) }) {
			return true, nil
		}
	}
	return false, nil
}
