package model

import (
	"cmp"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// found are the traces of promotions: their branches, their commits on the branches of
// stages and, where all is unknown, their last pull requests.
func (s *server) found(unknown bool) []promotion.Found {
	var out []promotion.Found
	for branch, c := range s.heads {
		f := promotion.Found{Branch: branch, Foreign: c.by != ""}
		f.Pipeline, _, f.Promotion, _ = promotion.ParseBranch(branch)
		if own := c.ours(); own != nil {
			f.Freight, f.Carries, f.Commit, f.At, f.RequestedBy = own.freight, own.carries, own.sha, own.at, own.asked
		}
		out = append(out, f)
	}
	for branch, line := range s.lines {
		if s.config == nil && s.beside == nil || branch != "main" && s.config.Stage(branch[len("env/"):]) == nil {
			continue
		}
		for i, c := range line {
			if c.promotion != "" && (!c.bare || unknown) {
				out = append(out, promotion.Found{
					Promotion: c.promotion, Pipeline: c.pipeline, Freight: c.freight, Carries: c.carries, RequestedBy: c.asked,
					Branch: branch, Commit: c.sha, At: c.at, Landed: true, Depth: len(line) - 1 - i,
				})
			}
		}
	}
	if unknown {
		out = s.withPulls(out)
	}
	slices.SortFunc(out, func(a, b promotion.Found) int {
		return cmp.Or(cmp.Compare(a.Branch, b.Branch), cmp.Compare(a.Commit, b.Commit), cmp.Compare(a.Promotion, b.Promotion))
	})
	return out
}

// withPulls adds what the last pull request of each promotion tells.
func (s *server) withPulls(out []promotion.Found) []promotion.Found {
	seen := map[string]bool{}
	for _, p := range slices.Backward(s.pulls) {
		if seen[p.promotion] || p.state == "merged" {
			seen[p.promotion] = true
			continue
		}
		seen[p.promotion] = true
		i := slices.IndexFunc(out, func(f promotion.Found) bool { return !f.Landed && f.Promotion == p.promotion })
		if i < 0 {
			pipeline, _, _, _ := promotion.ParseBranch(p.branch)
			out = append(out, promotion.Found{Promotion: p.promotion, Pipeline: pipeline, Branch: p.branch})
			i = len(out) - 1
		}
		out[i].Pull = &promotion.FoundPull{Number: p.number, Branch: p.branch, Base: p.base, Head: p.head, State: p.state, Pushers: slices.Clone(p.pushers)}
	}
	return out
}
