package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// sharePaths are where a repository says whom it shares with.
var sharePaths = pipelinePaths[:2]

// origin is a repository that a source follows, with what its branches and tags point to.
type origin struct {
	promotion.Repo
	git  *gitops.Repository
	refs gitops.Refs
	// renamed is its name of now, where the pipeline file has a former one.
	renamed string
	// shares: it says that the pipelines of the other repository may use it; a public
	// one that does not can be read all the same.
	shares bool
}

// origin is a repository that the pipelines of own may have as a source: own
// itself, one that shares with it, or a public one. One that is not there and one
// that does not share are told alike: nobody learns of private repositories so.
// A former name leads to the repository, as on GitHub.
func (r *Runner) origin(ctx context.Context, own promotion.Repo, fullName string) (origin, error) {
	if fullName == "" || strings.EqualFold(fullName, own.FullName()) {
		return r.look(ctx, own)
	}
	var asked int64 // whether it shares
	if found, known := r.find(ctx, fullName); known {
		from, shares, err := r.sharing(ctx, found, own)
		if err != nil || shares {
			return from, err
		}
		asked = found.ID
	}
	named, err := r.named(ctx, own, fullName)
	if err != nil {
		return origin{}, err
	}
	var from origin
	if named != nil {
		from, err = r.asNamed(ctx, *named, own, asked)
	}
	switch {
	case err != nil:
		return origin{}, err
	case from.git == nil:
		return origin{}, promotion.Terminal(fmt.Errorf("%s cannot be read: install the app there, and let its .github/stagecoach.yml say `share: [%s]`", fullName, own.FullName()))
	case !strings.EqualFold(from.FullName(), fullName):
		from.renamed = from.FullName()
	}
	return from, nil
}

// named is the repository that GitHub gives for a name, as own sees it, else as others
// of its owner do: only who may read a private repository is told its new name. nil:
// there is none.
func (r *Runner) named(ctx context.Context, own promotion.Repo, fullName string) (*promotion.Repo, error) {
	owner, name, _ := strings.Cut(fullName, "/")
	found, err := r.GitHub.Named(ctx, own, owner, name)
	if found != nil || err != nil || r.Owned == nil || strings.EqualFold(owner, own.Owner) {
		return found, err
	}
	if neighbour, ok := r.Owned(ctx, owner); ok {
		return r.GitHub.Named(ctx, neighbour, owner, name)
	}
	return nil, nil
}

// asNamed is the repository that GitHub gives for a name, if own may read it; else it
// has no git. asked is the ID of one that was seen not to share; 0: none.
func (r *Runner) asNamed(ctx context.Context, named, own promotion.Repo, asked int64) (origin, error) {
	if named.ID == own.ID {
		return r.look(ctx, own)
	}
	if r.Known != nil && named.ID != asked {
		if found, known := r.Known(ctx, named.ID); known {
			named.Installation = found.Installation
			from, shares, err := r.sharing(ctx, named, own)
			if err != nil || shares {
				return from, err
			}
		}
	}
	if named.Private {
		return origin{}, nil
	}
	return r.look(ctx, named)
}

func (r *Runner) find(ctx context.Context, fullName string) (promotion.Repo, bool) {
	if r.Find == nil {
		return promotion.Repo{}, false
	}
	return r.Find(ctx, fullName)
}

// look reads what the branches and tags of a repository point to: one request.
func (r *Runner) look(ctx context.Context, repo promotion.Repo) (origin, error) {
	refs, err := r.refs(ctx, repo)
	if err != nil {
		return origin{}, fmt.Errorf("list the branches and tags of %s: %w", repo.FullName(), err)
	}
	return origin{Repo: repo, git: r.repository(repo), refs: refs}, nil
}

// sharing looks at a repository, and reports whether its default branch says that it
// shares with another one.
func (r *Runner) sharing(ctx context.Context, from, with promotion.Repo) (origin, bool, error) {
	out, err := r.look(ctx, from)
	if err != nil {
		return out, false, fmt.Errorf("ask %s whom it shares with: %w", from.FullName(), err)
	}
	tip := out.refs.Heads[out.refs.Default]
	if tip == "" {
		return out, false, nil
	}
	files, err := out.git.ReadFiles(ctx, tip, sharePaths...)
	if err != nil {
		return out, false, fmt.Errorf("ask %s whom it shares with: %w", from.FullName(), err)
	}
	for _, f := range files {
		names, _ := config.Shares(f.Content)
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, with.FullName()) }) {
			out.shares = true
			return out, true, nil
		}
	}
	return out, false, nil
}
