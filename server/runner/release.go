package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry/tag"
)

// release finds the release that was published last, or with a constraint the
// highest that fits, and the commit that its tag names.
func (r *Runner) release(ctx context.Context, t promotion.Task, src *promotion.Source) (promotion.Result, error) {
	from, err := r.origin(ctx, t.Repo, src.Release.Repo)
	if err != nil {
		return promotion.Result{}, err
	}
	list, err := r.GitHub.Releases(ctx, from.Repo)
	if err != nil {
		return promotion.Result{}, err
	}
	out := promotion.Result{Renamed: from.renamed}
	has := func(name string) bool {
		return slices.ContainsFunc(list, func(each promotion.Release) bool { return each.Tag == name })
	}
	// GitHub lists the newest hundred: an older one is not gone because it is not among them.
	if known := t.Effect.Known; known != nil && t.Effect.Version == "" && !has(known.Tag) && len(list) < 100 {
		out.Gone = fmt.Sprintf("the release %s of %s is not there any more", known.Tag, src.Release.Repo)
	}
	chosen, err := chooseRelease(list, src.Release, t.Effect.Version)
	if err != nil || chosen == nil {
		return out, err
	}
	commit := from.refs.Tags[chosen.Tag]
	if commit == "" {
		return out, fmt.Errorf("the release %s of %s has no tag yet", chosen.Tag, src.Release.Repo)
	}
	out.Artifact = &promotion.Artifact{
		Source: src.Name, Kind: promotion.ArtifactRelease, Repo: src.Release.Repo, Tag: chosen.Tag, Commit: commit,
		Title: chosen.Name, Author: chosen.By, At: chosen.At,
	}
	return out, nil
}

func chooseRelease(list []promotion.Release, src *promotion.ReleaseSource, version string) (*promotion.Release, error) {
	choice, err := tag.Read(promotion.TagRule{Constraint: src.Constraint})
	if err != nil {
		return nil, promotion.Terminal(err)
	}
	list = slices.DeleteFunc(slices.Clone(list), func(each promotion.Release) bool {
		return each.Prerelease && !src.Prereleases || version != "" && each.Tag != version
	})
	if len(list) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(list, func(a, b promotion.Release) int { return b.At.Compare(a.At) })
	if src.Constraint == "" || version != "" {
		return &list[0], nil
	}
	names := make([]string, len(list))
	for i, each := range list {
		names[i] = each.Tag
	}
	newest := choice.Newest(names)
	if len(newest) == 0 {
		return nil, nil
	}
	return &list[slices.Index(names, newest[0])], nil
}
