package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry"
)

// lookBack bounds how far a history is read: what is older was judged before,
// or is of no interest any more.
const lookBack = 50

// source finds the newest artifact of a git source: the branch's tip, unless
// only promotions moved it since the commit that was judged last.
func (r *Runner) source(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	src := sourceOf(t)
	switch {
	case src == nil:
		return promotion.Result{}, nil // the config changed meanwhile
	case !src.OwnBranch(t.Repo), t.Effect.Version != "":
		return r.lookUp(ctx, t, src)
	}
	repo, e := r.repository(t.Repo), t.Effect
	var out promotion.Result
	tip := e.Text
	if tip == "" {
		refs, err := r.refs(ctx, t.Repo)
		if err != nil {
			return promotion.Result{}, fmt.Errorf("look up the branch %s: %w", e.Branch, err)
		}
		tip = refs.Heads[e.Branch]
		out.Tip = tip
	}
	commit, err := moved(ctx, repo, src.Git, e.SHA, tip)
	if err != nil || commit == nil {
		return out, err
	}
	out.Artifact = at(promotion.Artifact{Source: src.Name, Kind: promotion.ArtifactGit, Repo: t.Repo.FullName(), Branch: e.Branch}, commit)
	return out, nil
}

// moved is the newest commit of a branch that no promotion made, if what the source
// watches changed by then since before; nil: it is not news.
func moved(ctx context.Context, repo *gitops.Repository, src *promotion.GitSource, before, tip string) (*gitops.CommitInfo, error) {
	if tip == "" || tip == before {
		return nil, nil
	}
	commit, err := newestOfOthers(ctx, repo, tip, before)
	if err != nil || commit == nil {
		return nil, err
	}
	if touched, err := touches(ctx, repo, src, before, commit.SHA); err != nil || !touched {
		return nil, err
	}
	return commit, nil
}

// lookUp looks at a source that pushes to the pipeline's repository do not tell of.
func (r *Runner) lookUp(ctx context.Context, t promotion.Task, src *promotion.Source) (promotion.Result, error) {
	q := registry.Query{Owner: t.Repo.Owner, Source: src.Name, Known: t.Effect.Known, Version: t.Effect.Version}
	var found registry.Found
	var err error
	switch {
	case src.Git != nil:
		return r.gitSource(ctx, t, src)
	case src.Release != nil:
		return r.release(ctx, t, src)
	case src.Image != nil:
		found, err = r.Registry.Image(ctx, q, *src.Image)
	case src.Chart != nil:
		found, err = r.Registry.Chart(ctx, q, *src.Chart)
	}
	return promotion.Result{Artifact: found.Artifact, Gone: found.Gone, Floats: found.Floats}, err
}

func sourceOf(t promotion.Task) *promotion.Source {
	if t.Pipeline == nil {
		return nil
	}
	i := slices.IndexFunc(t.Pipeline.Sources, func(s promotion.Source) bool { return s.Name == t.Effect.Source })
	if i < 0 {
		return nil
	}
	return &t.Pipeline.Sources[i]
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// newestOfOthers is the newest commit that no promotion made; nil when there is
// none after until. What a promotion landed makes no freight.
func newestOfOthers(ctx context.Context, repo *gitops.Repository, tip, until string) (*gitops.CommitInfo, error) {
	commits, err := repo.History(ctx, tip, until, lookBack)
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", tip, err)
	}
	return newestOther(commits, tip), nil
}

// newestOther follows the first parents from the tip: what the branch itself went
// through. Behind the merge of a promotion's branch stand, as its other parent, also
// commits that are older than what was judged last.
func newestOther(commits []gitops.CommitInfo, tip string) *gitops.CommitInfo {
	bySHA := map[string]*gitops.CommitInfo{}
	for i := range commits {
		bySHA[commits[i].SHA] = &commits[i]
	}
	for c := bySHA[tip]; c != nil; c = bySHA[firstParent(*c)] {
		if !ours(c.Message) && !slices.ContainsFunc(c.Parents[min(1, len(c.Parents)):], func(other string) bool {
			return bySHA[other] != nil && ours(bySHA[other].Message)
		}) {
			return c
		}
	}
	return nil
}

// ours reports whether a promotion made the commit, or a person merged one's
// branch: GitHub's own words for a merge have no trailer.
func ours(message string) bool {
	if promotion.Trailer(message, promotion.TrailerPromotion) != "" {
		return true
	}
	_, from, _ := strings.Cut(firstLine(message), "Merge pull request #")
	_, from, _ = strings.Cut(from, " from ")
	_, branch, _ := strings.Cut(strings.TrimSpace(from), "/")
	_, _, _, is := promotion.ParseBranch(branch)
	return is
}

// touches reports whether the paths of a source changed. At first sight it is
// asked whether the source watches anything that is there.
func touches(ctx context.Context, repo *gitops.Repository, src *promotion.GitSource, before, after string) (bool, error) {
	if before == "" {
		return watches(ctx, repo, src, after)
	}
	paths, err := repo.ChangedPaths(ctx, before, after)
	if err != nil {
		return false, fmt.Errorf("compare %s with %s: %w", before, after, err)
	}
	return slices.ContainsFunc(paths, src.Counts), nil
}

// watches reports whether any pattern of the source begins with a folder that
// exists. Nothing below it is read: a pattern that matches nothing there is
// found out at the first push.
func watches(ctx context.Context, repo *gitops.Repository, src *promotion.GitSource, commit string) (bool, error) {
	if len(src.Paths) == 0 {
		return true, nil
	}
	ws, err := repo.Workspace(ctx, []promotion.Mount{{Path: ".", Commit: commit}}, nil)
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", commit, err)
	}
	for _, pattern := range src.Paths {
		folder := promotion.Literal(pattern)
		if folder == "" {
			return true, nil
		}
		_, err := ws.Stat(ctx, folder)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("look for %s: %w", folder, err)
		}
	}
	return false, nil
}
