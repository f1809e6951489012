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

// mostNamed is how far back a commit is found by the start of its hash.
const mostNamed = 300

// gitSource looks at a git source that pushes to the pipeline's repository do not
// tell of: tags, and branches of other repositories; or for a version that somebody names.
func (r *Runner) gitSource(ctx context.Context, t promotion.Task, src *promotion.Source) (promotion.Result, error) {
	from, err := r.origin(ctx, t.Repo, src.Git.Repo)
	if err != nil {
		return promotion.Result{}, err
	}
	base := promotion.Artifact{Source: src.Name, Kind: promotion.ArtifactGit, Repo: cmp.Or(src.Git.Repo, from.FullName())}
	out := promotion.Result{}
	switch base.Branch = cmp.Or(src.Git.Branch, from.refs.Default); {
	case src.Git.Tags != nil:
		base.Branch = ""
		out, err = tagged(t.Effect, *src.Git.Tags, from.refs.Tags, base)
	case t.Effect.Version != "":
		out, err = named(ctx, from, t.Effect.Version, base)
	default:
		out, err = branch(ctx, t.Effect, src.Git, from, base)
	}
	out.Renamed = from.renamed
	return out, err
}

// branch takes the newest commit of a branch that no promotion made, if what the
// source watches changed since the commit that was the last one to count. Two
// repositories that follow each other would promote for ever otherwise.
func branch(ctx context.Context, e promotion.Effect, src *promotion.GitSource, from origin, a promotion.Artifact) (promotion.Result, error) {
	before, tip := "", from.refs.Heads[a.Branch]
	if e.Known != nil {
		before = e.Known.Commit
	}
	if tip == "" && before != "" {
		return promotion.Result{Gone: fmt.Sprintf("the branch %s is not in %s any more", a.Branch, a.Repo)}, nil
	}
	commit, err := moved(ctx, from.git, src, before, tip)
	if err != nil || commit == nil {
		return promotion.Result{}, err
	}
	return promotion.Result{Artifact: at(a, commit)}, nil
}

// named finds a commit of the branch that a person names by the start of its hash.
// What a promotion landed is none.
func named(ctx context.Context, from origin, word string, a promotion.Artifact) (promotion.Result, error) {
	tip, word := from.refs.Heads[a.Branch], strings.ToLower(word)
	if tip == "" {
		return promotion.Result{}, nil
	}
	commits, err := from.git.History(ctx, tip, "", mostNamed)
	if err != nil {
		return promotion.Result{}, fmt.Errorf("read the history of %s: %w", a.Repo, err)
	}
	var found []*gitops.CommitInfo
	for i, each := range commits {
		if strings.HasPrefix(each.SHA, word) && !ours(each.Message) {
			found = append(found, &commits[i])
		}
	}
	switch len(found) {
	case 0:
		return promotion.Result{}, nil
	case 1:
		return promotion.Result{Artifact: at(a, found[0])}, nil
	}
	return promotion.Result{}, promotion.Terminal(fmt.Errorf("%d commits of %s begin with %s; write more of it", len(found), a.Branch, word))
}

// at is the artifact of a commit.
func at(a promotion.Artifact, commit *gitops.CommitInfo) *promotion.Artifact {
	a.Commit, a.Title, a.At = commit.SHA, firstLine(commit.Message), commit.When.UTC()
	return &a
}

// tagged takes the highest of the tags that fit the rule.
func tagged(e promotion.Effect, rule promotion.TagRule, tags map[string]string, a promotion.Artifact) (promotion.Result, error) {
	choice, err := tag.Read(rule)
	if err != nil {
		return promotion.Result{}, promotion.Terminal(err)
	}
	if e.Version != "" {
		return oneTag(e.Version, choice, tags, a)
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

// oneTag is the tag that a person names, or tag@commit.
func oneTag(version string, choice *tag.Choice, tags map[string]string, a promotion.Artifact) (promotion.Result, error) {
	name, commit, _ := strings.Cut(version, "@")
	switch is := tags[name]; {
	case is == "" || !choice.Permits(name):
		return promotion.Result{}, nil
	case commit != "" && commit != is:
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("the tag %s of %s is %s, not %s", name, a.Repo, is, commit))
	}
	a.Tag, a.Commit = name, tags[name]
	return promotion.Result{Artifact: &a}, nil
}
