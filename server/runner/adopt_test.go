package runner

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops"
)

func TestLandingsAreOnTheBranchItself(t *testing.T) {
	const trailers = "Promote\n\nStagecoach-Promotion: %s\nStagecoach-Stage: %s\n"
	by := func(name, stage string) string { return fmt.Sprintf(trailers, name, stage) }
	commits := []gitops.CommitInfo{
		{SHA: "tip", Parents: []string{"merge"}, Message: "Somebody's"},
		{SHA: "merge", Parents: []string{"squash", "head"}, Message: "Merge pull request #3"},
		{SHA: "head", Parents: []string{"squash"}, Message: by("prod.x", "prod")},
		{SHA: "squash", Parents: []string{"foreign"}, Message: by("staging.x", "web/staging")},
		{SHA: "foreign", Parents: []string{"root", "side"}, Message: "Merge branch side"},
		{SHA: "side", Parents: []string{"deep"}, Message: "Somebody's, on top of a promotion's branch"},
		{SHA: "deep", Parents: []string{"root"}, Message: by("never.landed", "dev")},
		{SHA: "root", Message: by("dev.x", "dev")},
	}
	var got []string
	for _, f := range landed(commits, "tip", "main") {
		got = append(got, fmt.Sprintf("%s of %s by %s on %s %v", f.Promotion, f.Pipeline, f.Commit, f.Branch, f.Landed))
	}
	want := []string{
		"prod.x of default by merge on main true", "staging.x of web by squash on main true", "dev.x of default by root on main true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("landed\n%q, want\n%q", got, want)
	}
	if found := landed(nil, "tip", "main"); len(found) != 0 {
		t.Errorf("of nothing: %v", found)
	}
}
