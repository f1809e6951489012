package runner

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops"
)

func TestWhatAPromotionMadeIsToldFromOthers(t *testing.T) {
	const branch = "stagecoach/default/prod/prod.01jd0000000000000000000000.abcdef0"
	for message, want := range map[string]bool{
		"Promote app to prod\n\nStagecoach-Promotion: prod.01jd0000000000000000000000.abcdef0\n": true,
		"Merge pull request #7 from acme/" + branch + "\n\nPromote app to prod":                  true,
		"Merge pull request #7 from acme/feature":                                                false,
		"Merge pull request #7 from acme/stagecoach/notes":                                       false,
		"Revert \"Merge pull request #7\" by hand":                                               false,
		"Tune": false,
		"":     false,
	} {
		if got := ours(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

// What is behind the merge of a promotion's branch was judged before, however old the
// commit is that the branch began at.
func TestTheNewestOfOthersIsOnTheBranchItself(t *testing.T) {
	const promoted = "Promote app to prod\n\nStagecoach-Promotion: prod.01jd0000000000000000000000.abcdef0\n"
	commits := []gitops.CommitInfo{ // nearest first, as they are listed
		{SHA: "merge", Parents: []string{"squash", "head"}, Message: "Ship it"}, // in a person's own words
		{SHA: "squash", Parents: []string{"judged"}, Message: promoted},
		{SHA: "head", Parents: []string{"old"}, Message: promoted},
		{SHA: "old", Parents: []string{"older"}, Message: "Fix"},
		{SHA: "older", Message: "Begin"},
	}
	if got := newestOther(commits, "merge"); got != nil {
		t.Errorf("only promotions moved it, and %s counts", got.SHA)
	}
	theirs := []gitops.CommitInfo{
		{SHA: "promoted", Parents: []string{"pull"}, Message: promoted},
		{SHA: "pull", Parents: []string{"judged", "feature"}, Message: "Merge pull request #8 from acme/feature"},
		{SHA: "feature", Parents: []string{"judged"}, Message: "Add"},
	}
	if got := newestOther(theirs, "promoted"); got == nil || got.SHA != "pull" {
		t.Errorf("%+v, want the merge of somebody's branch", got)
	}
	if got := newestOther(nil, "gone"); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
}
