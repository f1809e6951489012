package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// adopt looks for what an earlier life left in git: the branches of promotions,
// and their commits on the branches that stages write.
func (r *Runner) adopt(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	repo := r.repository(t.Repo)
	refs, err := repo.Refs(ctx)
	if err != nil {
		return promotion.Result{}, fmt.Errorf("list the branches: %w", err)
	}
	var found []promotion.Found
	for _, branch := range slices.Sorted(maps.Keys(refs.Heads)) {
		pipeline, _, name, ok := promotion.ParseBranch(branch)
		if !ok {
			continue
		}
		commits, err := repo.History(ctx, refs.Heads[branch], "", 1)
		if err != nil {
			return promotion.Result{}, fmt.Errorf("read the branch %s: %w", branch, err)
		}
		for _, c := range commits {
			found = append(found, trace(c, pipeline, name, branch, false))
		}
	}
	for _, branch := range stageBranches(t) {
		landed, err := landings(ctx, repo, branch, refs.Heads[branch])
		if err != nil {
			return promotion.Result{}, err
		}
		found = append(found, landed...)
	}
	return promotion.Result{Found: found}, nil
}

// landings are the commits of promotions near a branch's tip.
func landings(ctx context.Context, repo *gitops.Repository, branch, tip string) ([]promotion.Found, error) {
	if tip == "" {
		return nil, nil
	}
	commits, err := repo.History(ctx, tip, "", lookBack)
	if err != nil {
		return nil, fmt.Errorf("read the branch %s: %w", branch, err)
	}
	return landed(commits, tip, branch), nil
}

// landed follows the first parents from the tip: what the branch itself went
// through. A promotion that was merged landed by the merge commit, whose other
// parent holds its trailers.
func landed(commits []gitops.CommitInfo, tip, branch string) []promotion.Found {
	bySHA := map[string]gitops.CommitInfo{}
	for _, c := range commits {
		bySHA[c.SHA] = c
	}
	var found []promotion.Found
	for c, ok := bySHA[tip]; ok; c, ok = bySHA[firstParent(c)] {
		for _, source := range append([]string{c.SHA}, c.Parents[min(1, len(c.Parents)):]...) {
			own := bySHA[source]
			name := promotion.Trailer(own.Message, promotion.TrailerPromotion)
			if name == "" {
				continue
			}
			f := trace(own, pipelineOf(own), name, branch, true)
			f.Commit = c.SHA
			found = append(found, f)
			break
		}
	}
	return found
}

func firstParent(c gitops.CommitInfo) string {
	if len(c.Parents) == 0 {
		return ""
	}
	return c.Parents[0]
}

// pipelineOf is the pipeline that a promotion's commit names in its trailers.
func pipelineOf(c gitops.CommitInfo) string {
	if p, _, qualified := cutStage(promotion.Trailer(c.Message, promotion.TrailerStage)); qualified {
		return p
	}
	return promotion.DefaultPipeline
}

func trace(c gitops.CommitInfo, pipeline, name, branch string, landed bool) promotion.Found {
	return promotion.Found{
		Promotion: name, Pipeline: pipeline, Branch: branch, Commit: c.SHA, Landed: landed,
		Freight:     promotion.Trailer(c.Message, promotion.TrailerFreight),
		RequestedBy: promotion.Trailer(c.Message, promotion.TrailerRequestedBy),
	}
}

// stageBranches are the branches that the pipelines' stages write, sorted.
func stageBranches(t promotion.Task) []string {
	set := map[string]bool{}
	for _, p := range t.State.Local.Config {
		for _, s := range p.Stages {
			branch := s.Branch
			if branch == "" {
				branch = t.Repo.DefaultBranch
			}
			set[branch] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
