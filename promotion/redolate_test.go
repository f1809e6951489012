package promotion_test

import (
	"fmt"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// A read that shows the former head soon after the push is an old one.
func TestAReadThatIsOlderThanThePush(t *testing.T) {
	w := waitingPull(t, nil)
	conflicting(w)
	first := w.Pulls[0].Head
	w.TouchBase("octocat", written)
	second := w.Pulls[0].Head
	w.Pulls[0].Head = first // GitHub's replica
	w.Mergeable = func(*pt.Pull) promotion.Mergeability { return "" }
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
	if p := w.Last("prod"); p.PullRequest.Head != second {
		t.Errorf("the head is taken for %s, which it was before %s", p.PullRequest.Head, second)
	}
}

// A push to the base is lost, and found by a look at git.
func TestTheBaseMovesUnseen(t *testing.T) {
	w := waitingPull(t, nil)
	conflicting(w)
	again := pt.Config(w.State.Local.Config["default"])
	again.Tips = map[string]string{"main": pt.SHA("unseen")}
	w.Take(again)
	if len(w.Anew) != 1 || w.Last("prod").PullRequest.Head != w.Anew[0] {
		t.Errorf("pushed anew %v: %s", w.Anew, w.Last("prod").Message)
	}
	w.Take(again)
	if len(w.Anew) != 1 {
		t.Error("a look that finds nothing new has the edit made anew")
	}
}

// The base moves while the pull request is being opened: they are compared when it is.
func TestTheBaseMovesBeforeItIsOpen(t *testing.T) {
	for step := range 4 {
		t.Run(fmt.Sprintf("during step %d", step+1), func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
			conflicting(w)
			w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == step }
			w.Take(pt.Push(pt.SHA("c1")))
			w.TouchBase("octocat", written)
			w.Hold = nil
			w.Take()
			if p := w.Last("prod"); len(w.Anew) != 1 || p.PullRequest == nil || p.PullRequest.Head != w.Anew[0] || p.Moved != "" {
				t.Errorf("pushed anew %v: %s: %s", w.Anew, p.Phase, p.Message)
			}
		})
	}
}

// The answer of a comparison with an older tip comes last: it says nothing any more.
func TestAnOlderComparison(t *testing.T) {
	w := waitingPull(t, nil)
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindCompare }
	w.TouchBase("octocat", written)
	var old string
	for id := range w.State.Local.Pending {
		old = id
	}
	w.Hold = func(e promotion.Effect) bool { return e.ID == old }
	w.Conflicts = func(*promotion.Promotion) []string { return []string{written} }
	w.Overwrites = w.Conflicts
	w.TouchBase("octocat", written)
	w.Take(promotion.Result{Effect: old})
	if p := w.Last("prod"); old == "" || p.Clash == nil {
		t.Errorf("after the answer of %q: %s", old, p.Message)
	}
}
