package runner

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry/tag"
)

// gitSource looks at a git source that pushes to the pipeline's repository do not
// tell of: tags, and branches of other repositories.
func (r *Runner) gitSource(ctx context.Context, t promotion.Task, src *promotion.Source) (promotion.Result, error) {
	repo, err := r.readable(ctx, t.Repo, src.Git.Repo)
	if err != nil {
		return promotion.Result{}, err
	}
	git := r.repository(repo)
	refs, err := git.Refs(ctx)
	if err != nil {
		return promotion.Result{}, fmt.Errorf("list the branches and tags of %s: %w", repo.FullName(), err)
	}
	base := promotion.Artifact{Source: src.Name, Kind: promotion.ArtifactGit, Repo: repo.FullName()}
	if src.Git.Tags != nil {
		return tagged(t.Effect, *src.Git.Tags, refs.Tags, base)
	}
	base.Branch = cmp.Or(src.Git.Branch, refs.Default)
	tip := refs.Heads[base.Branch]
	if t.Effect.Version != "" {
		return named(ctx, git, t.Effect.Version, tip, base)
	}
	return r.branch(ctx, t.Effect, src.Git, git, tip, base)
}

// branch takes the tip of a branch, if what the source watches changed since the
// commit that was the last one to count.
func (r *Runner) branch(ctx context.Context, e promotion.Effect, src *promotion.GitSource, git *gitops.Repository, tip string, a promotion.Artifact) (promotion.Result, error) {
	before := ""
	if e.Known != nil {
		before = e.Known.Commit
	}
	switch {
	case tip == "" && before != "":
		return promotion.Result{Gone: fmt.Sprintf("the branch %s is not in %s any more", a.Branch, a.Repo)}, nil
	case tip == "" || tip == before:
		return promotion.Result{}, nil
	}
	if touched, err := touches(ctx, git, src, before, tip); err != nil || !touched {
		return promotion.Result{}, err
	}
	commits, err := git.History(ctx, tip, "", 1)
	if err != nil || len(commits) == 0 {
		return promotion.Result{}, fmt.Errorf("read the commit %s of %s: %w", tip, a.Repo, err)
	}
	a.Commit, a.Title, a.At = tip, firstLine(commits[0].Message), commits[0].When.UTC()
	return promotion.Result{Artifact: &a}, nil
}

// named finds a commit of the branch that a person names by the start of its hash.
func named(ctx context.Context, git *gitops.Repository, word, tip string, a promotion.Artifact) (promotion.Result, error) {
	word = strings.ToLower(word)
	if tip == "" || len(word) < 4 || strings.Trim(word, "0123456789abcdef") != "" {
		return promotion.Result{}, nil
	}
	commits, err := git.History(ctx, tip, "", lookBack)
	if err != nil {
		return promotion.Result{}, fmt.Errorf("read the history of %s: %w", a.Repo, err)
	}
	for _, each := range commits {
		if strings.HasPrefix(each.SHA, word) {
			a.Commit, a.Title, a.At = each.SHA, firstLine(each.Message), each.When.UTC()
			return promotion.Result{Artifact: &a}, nil
		}
	}
	return promotion.Result{}, nil
}

// tagged takes the highest of the tags that fit the rule.
func tagged(e promotion.Effect, rule promotion.TagRule, tags map[string]string, a promotion.Artifact) (promotion.Result, error) {
	choice, err := tag.Read(rule)
	if err != nil {
		return promotion.Result{}, promotion.Terminal(err)
	}
	if e.Version != "" {
		if commit := tags[e.Version]; commit != "" && choice.Permits(e.Version) {
			a.Tag, a.Commit = e.Version, commit
			return promotion.Result{Artifact: &a}, nil
		}
		return promotion.Result{}, nil
	}
	var out promotion.Result
	if e.Known != nil && tags[e.Known.Tag] == "" {
		out.Gone = fmt.Sprintf("the tag %s is not in %s any more", e.Known.Tag, a.Repo)
	}
	names := make([]string, 0, len(tags))
	for name := range tags {
		names = append(names, name)
	}
	if newest := choice.Newest(names); len(newest) > 0 {
		a.Tag, a.Commit = newest[0], tags[newest[0]]
		out.Artifact = &a
	}
	return out, nil
}
