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
	found, line := landed(commits, "tip", "main")
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprintf("%s of %s by %s on %s %v, %d deep", f.Promotion, f.Pipeline, f.Commit, f.Branch, f.Landed, f.Depth))
	}
	want := []string{
		"prod.x of default by merge on main true, 1 deep", "staging.x of web by squash on main true, 2 deep", "dev.x of default by root on main true, 4 deep",
	}
	if !slices.Equal(got, want) {
		t.Errorf("landed\n%q, want\n%q", got, want)
	}
	if want := []string{"tip", "merge", "squash", "foreign", "root"}; !slices.Equal(line, want) {
		t.Errorf("the branch went through %v, want %v", line, want)
	}
	if found, line := landed(nil, "tip", "main"); len(found)+len(line) != 0 {
		t.Errorf("of nothing: %v, %v", found, line)
	}
}
