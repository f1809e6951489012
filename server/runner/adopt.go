package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// lookBackAll bounds how far the history of a branch is read where there is no ledger:
// what each stage holds, and held before, is told by that alone.
const lookBackAll = 1000

// lookBackOwn bounds how many commits of people may stand on a promotion's own.
const lookBackOwn = 20

// adopt looks for what an earlier life left: the branches of promotions and their
// commits on the branches that stages write and, where there is no ledger, the last
// pull requests, which tell of promotions that left nothing in git, and what people said.
func (r *Runner) adopt(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	repo := r.repository(t.Repo)
	refs, err := repo.Refs(ctx)
	if err != nil {
		return promotion.Result{}, fmt.Errorf("list the branches: %w", err)
	}
	none := t.Effect.Unknown // however often the ledger was written since
	var pulls []promotion.FoundPull
	if none {
		if pulls, err = r.GitHub.Pulls(ctx, t.Repo); err != nil {
			return promotion.Result{}, fmt.Errorf("list the pull requests: %w", err)
		}
	}
	found, err := branches(ctx, repo, refs.Heads)
	if err != nil {
		return promotion.Result{}, err
	}
	depth := lookBack
	if none {
		depth = lookBackAll
	}
	histories := map[string][]string{}
	for _, branch := range stageBranches(t) {
		landed, line, err := landings(ctx, repo, branch, refs.Heads[branch], depth)
		if err != nil {
			return promotion.Result{}, err
		}
		found, histories[branch] = append(found, landed...), line
	}
	found = withPulls(ctx, repo, found, pulls, histories)
	for _, f := range found {
		if f.Foreign && f.Pull != nil && f.Pull.State == "open" {
			if f.Pull.Pushers, err = r.GitHub.Pushers(ctx, t.Repo, f.Pull.Number); err != nil {
				return promotion.Result{}, fmt.Errorf("list who pushed to #%d: %w", f.Pull.Number, err)
			}
		}
	}
	out := promotion.Result{Found: found}
	if none {
		out.Said, err = r.said(ctx, t, found)
	}
	return out, err
}

// said is what people said where commands are given: on the tracking issue, whose text
// holds no ledger, and on the pull requests that are open.
func (r *Runner) said(ctx context.Context, t promotion.Task, found []promotion.Found) ([]promotion.Said, error) {
	pulls := map[int]bool{} // whether it is one
	if t.State.Issue != 0 {
		pulls[t.State.Issue] = false
	}
	for _, f := range found {
		if f.Pull != nil && f.Pull.State == "open" {
			pulls[f.Pull.Number] = true
		}
	}
	var out []promotion.Said
	for _, number := range slices.Sorted(maps.Keys(pulls)) {
		said, err := r.GitHub.Said(ctx, t.Repo, number, pulls[number], r.Commands)
		if err != nil {
			return nil, fmt.Errorf("read what was said on #%d: %w", number, err)
		}
		out = append(out, said...)
	}
	return out, nil
}

// branches are the traces of branches that promotions pushed: of each its own last
// commit, on which people may have put others.
func branches(ctx context.Context, repo *gitops.Repository, heads map[string]string) ([]promotion.Found, error) {
	var found []promotion.Found
	for _, branch := range slices.Sorted(maps.Keys(heads)) {
		pipeline, _, name, ok := promotion.ParseBranch(branch)
		if !ok {
			continue
		}
		commits, err := repo.History(ctx, heads[branch], "", 1)
		if err == nil && !isOf(commits, name) {
			commits, err = repo.History(ctx, heads[branch], "", lookBackOwn)
		}
		if err != nil {
			return nil, fmt.Errorf("read the branch %s: %w", branch, err)
		}
		found = append(found, branchTrace(commits, pipeline, name, branch))
	}
	return found, nil
}

func isOf(commits []gitops.CommitInfo, name string) bool {
	return len(commits) > 0 && promotion.Trailer(commits[0].Message, promotion.TrailerPromotion) == name
}

// branchTrace is the trace of a promotion's branch.
func branchTrace(commits []gitops.CommitInfo, pipeline, name, branch string) promotion.Found {
	for i := range commits {
		if isOf(commits[i:], name) {
			f := trace(commits[i], pipeline, name, branch, false)
			f.Foreign = i > 0
			return f
		}
	}
	return promotion.Found{Promotion: name, Pipeline: pipeline, Branch: branch, Foreign: true}
}

// landings are the commits of promotions near a branch's tip, and the commits that the
// branch went through, the tip first.
func landings(ctx context.Context, repo *gitops.Repository, branch, tip string, depth int) ([]promotion.Found, []string, error) {
	if tip == "" {
		return nil, nil, nil
	}
	commits, err := repo.History(ctx, tip, "", depth)
	if err != nil {
		return nil, nil, fmt.Errorf("read the branch %s: %w", branch, err)
	}
	found, line := landed(commits, tip, branch)
	return found, line, nil
}

// landed follows the first parents from the tip: what the branch itself went
// through. A promotion that was merged landed by the merge commit, whose other
// parent holds its trailers.
func landed(commits []gitops.CommitInfo, tip, branch string) (found []promotion.Found, line []string) {
	bySHA := map[string]gitops.CommitInfo{}
	for _, c := range commits {
		bySHA[c.SHA] = c
	}
	for c, ok := bySHA[tip]; ok; c, ok = bySHA[firstParent(c)] {
		for _, source := range append([]string{c.SHA}, c.Parents[min(1, len(c.Parents)):]...) {
			own := bySHA[source]
			name := promotion.Trailer(own.Message, promotion.TrailerPromotion)
			if name == "" {
				continue
			}
			f := trace(own, pipelineOf(own), name, branch, true)
			f.Commit, f.At, f.Depth = c.SHA, c.When, len(line)
			found = append(found, f)
			break
		}
		line = append(line, c.SHA)
	}
	return found, line
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
		At: c.When, Carries: promotion.CarriedFreight(c.Message),
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
