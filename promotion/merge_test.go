package promotion_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

func mergingStage(s *promotion.Stage) {
	s.PullRequest.Merge = promotion.MergeAuto
	s.Gates.Approvals = &promotion.Approvals{}
}

// A gate opens while a look is under way that might not merge: it is no try, and
// another one follows.
func TestTheGateOpensWhileItIsLookedAt(t *testing.T) {
	w := waitingPull(t, mergingStage)
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep }
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
	w.Now = w.Now.Add(time.Minute)
	w.Say("octocat", "/approve prod")
	p := w.Last("prod")
	w.Hold = nil
	w.Take(promotion.Result{
		Effect: "step/" + p.Name + "/4", Phase: promotion.StepWaiting, Message: "Waiting for merge: all gates are open",
		PullRequest: &promotion.PullRequest{Number: 100, Head: p.Commit, State: "open"},
	})
	if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

// What GitHub would not merge is tried again when a check of the head turns green:
// our own, which a rule may ask for, and those of others, which no gate names.
func TestMergedWhenACheckTurnsGreen(t *testing.T) {
	t.Run("our own", func(t *testing.T) {
		w := waitingPull(t, mergingStage)
		tries := 0
		w.MayMerge = func() bool { tries++; return tries > 1 }
		w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindCheck && tries == 0 } // at first our check is not green yet
		w.Now = w.Now.Add(time.Minute)
		w.Say("octocat", "/approve prod")
		if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded {
			t.Errorf("%s after %d tries: %s", p.Phase, tries, p.Message)
		}
	})
	t.Run("our own, before GitHub's no has come", func(t *testing.T) {
		w := waitingPull(t, mergingStage)
		w.Now = w.Now.Add(time.Minute)
		w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep }
		w.Say("octocat", "/approve prod")
		p := w.Last("prod")
		w.Hold = nil
		w.Take(promotion.Result{
			Effect: "step/" + p.Name + "/4", Phase: promotion.StepWaiting, Message: "Waiting until GitHub allows the merge", Tried: true,
			PullRequest: &promotion.PullRequest{Number: 100, Head: p.Commit, State: "open"},
		})
		if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded {
			t.Errorf("%s: %s", p.Phase, p.Message)
		}
	})
	t.Run("another's", func(t *testing.T) {
		w := waitingPull(t, mergingStage)
		green := false
		w.MayMerge = func() bool { return green }
		w.Now = w.Now.Add(time.Minute)
		w.Say("octocat", "/approve prod")
		head := w.Pulls[0].Head
		w.Check(head, "ci", "failure")
		w.Check(pt.SHA("elsewhere"), "ci", "success")
		if p := w.Last("prod"); p.Phase != promotion.PhaseWaiting {
			t.Fatalf("%s: %s", p.Phase, p.Message)
		}
		green = true
		tried := w.Ran["step/"+w.Last("prod").Name+"/4"]
		w.Check(pt.SHA("elsewhere"), "ci", "success")
		if n := w.Ran["step/"+w.Last("prod").Name+"/4"]; n != tried {
			t.Error("a check of another commit has it tried again")
		}
		w.Check(head, "ci", "success")
		if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded {
			t.Errorf("%s: %s", p.Phase, p.Message)
		}
	})
}
