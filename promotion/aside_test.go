package promotion_test

import (
	"slices"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// Pull requests of others may need the checks that a rule requires; promotions'
// have their own.
func TestPullRequestsOfOthersStandAside(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Branch = "env/prod" }))
	var neutral []string
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindNeutral {
			neutral = append(neutral, e.ID+" "+e.Branch)
		}
		return nil
	}
	pull := func(number int, action, head, base string) {
		w.Take(promotion.Event{Repo: pt.Repo, At: w.Now, Body: promotion.PullRequestChanged{
			Number: number, Action: action, HeadBranch: head, HeadSHA: pt.SHA(head), Base: base, SameRepo: true, By: "octocat",
		}})
	}
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod")
	own := promotion.BranchName("default", "prod", w.Last("prod").Name)
	pull(41, "opened", "fix", "main")
	pull(42, "synchronize", "fix", "env/prod")
	pull(43, "opened", "fix", "docs") // no stage writes it
	pull(44, "closed", "fix", "main")
	pull(1, "opened", own, "env/prod")
	want := []string{"neutral/41/" + pt.SHA("fix") + " main", "neutral/42/" + pt.SHA("fix") + " env/prod"}
	if !slices.Equal(neutral, want) {
		t.Errorf("stood aside for %q, want %q", neutral, want)
	}
	if got := w.State.ChecksOf("env/prod"); !slices.Equal(got, []string{"stagecoach/prod"}) {
		t.Errorf("the checks of env/prod are %q", got)
	}
}
