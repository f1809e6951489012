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
	var found []promotion.Found
	for _, c := range commits {
		name := promotion.Trailer(c.Message, promotion.TrailerPromotion)
		if name == "" {
			continue
		}
		pipeline := promotion.DefaultPipeline
		if stage := promotion.Trailer(c.Message, promotion.TrailerStage); stage != "" {
			if p, _, qualified := cutStage(stage); qualified {
				pipeline = p
			}
		}
		found = append(found, trace(c, pipeline, name, branch, true))
	}
	return found, nil
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
