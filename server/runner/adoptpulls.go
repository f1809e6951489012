package runner

import (
	"context"
	"slices"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// withPulls adds to the traces in git what pull requests tell, the newest of each
// promotion first: which one waits for a merge, which was closed, and which was merged
// under a message of somebody's own, without our trailers.
func withPulls(ctx context.Context, repo *gitops.Repository, found []promotion.Found, pulls []promotion.FoundPull, lines map[string][]string) []promotion.Found {
	seen := map[string]bool{}
	for _, pull := range pulls {
		pipeline, _, name, ok := promotion.ParseBranch(pull.Branch)
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		if pull.State == "merged" {
			depth := slices.Index(lines[pull.Base], pull.MergedAs)
			known := slices.ContainsFunc(found, func(f promotion.Found) bool { return f.Landed && f.Promotion == name })
			if own := headTrace(ctx, repo, pipeline, name, pull); own != nil && depth >= 0 && !known {
				own.Branch, own.Commit, own.Landed, own.Depth = pull.Base, pull.MergedAs, true, depth
				found = append(found, *own)
			}
			continue
		}
		i := slices.IndexFunc(found, func(f promotion.Found) bool { return !f.Landed && f.Promotion == name })
		if i < 0 {
			found = append(found, promotion.Found{Promotion: name, Pipeline: pipeline, Branch: pull.Branch})
			i = len(found) - 1
		}
		found[i].Pull = &pull
	}
	return found
}

// headTrace is what the head of a pull request whose branch is gone says of its
// promotion; nil: it cannot be read any more, or is no commit of ours.
func headTrace(ctx context.Context, repo *gitops.Repository, pipeline, name string, pull promotion.FoundPull) *promotion.Found {
	commits, err := repo.History(ctx, pull.Head, "", lookBackOwn)
	if err != nil {
		return nil
	}
	f := branchTrace(commits, pipeline, name, pull.Branch)
	if f.Freight == "" {
		return nil
	}
	return &f
}
