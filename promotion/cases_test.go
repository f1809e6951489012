package promotion_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// A failed promotion that is retried when the stage has newer freight does not bring
// the older one back.
func TestARetryOfWhatWasOvertakenIsSuperseded(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	w.StepResult = func(promotion.Effect) promotion.Result {
		return promotion.Result{Phase: promotion.StepFailed, Message: "no such key"}
	}
	w.Take(pt.Push(pt.SHA("c1")))
	failed := w.Last("dev").Name
	w.StepResult, w.Now = nil, w.Now.Add(time.Minute)
	w.Take(pt.Push(pt.SHA("c2")))
	w.Take(pt.Comment(1, w.Now, "/retry "+failed))
	if p := w.State.Promotion(failed); p.Phase != promotion.PhaseSuperseded || len(w.Landed) != 1 {
		t.Errorf("it is %s: %s; landed %v", p.Phase, p.Message, w.Landed)
	}
}

// A check that was not read yet holds a start, and the gate says so.
func TestAnUnreadCheckIsNoYes(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {
		prod.Auto, prod.Gates.Checks = true, []string{"e2e"}
	}))
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindChecks }
	w.Take(pt.Push(pt.SHA("c1")))
	none(t, w, "prod")
	w.Take(pt.Comment(1, w.Now, "/promote prod "+pt.SHA("c1")[:10]))
	says(t, w, "prod", promotion.PhaseQueued, "No result yet of e2e")
	w.Hold, w.Results = nil, map[string][]promotion.CheckChanged{w.Landing("dev"): {{Name: "e2e", ID: 1, Conclusion: "success"}}}
	w.Check(w.Landing("dev"), "e2e", "success")
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
}

// What a stage left on GitHub goes with the stage.
func TestTheBranchOfARemovedStageGoes(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto"), pt.Stage("prod", "after:dev")))
	w.Take(pt.Push(pt.SHA("c1")))
	if len(w.Commits) != 1 || len(w.Pulls) != 1 {
		t.Fatalf("branches %v, pull requests %v", w.Commits, w.Pulls)
	}
	w.Take(pt.Config(pt.Pipeline("default", pt.Stage("prod"))))
	says(t, w, "dev", promotion.PhaseAborted, "The stage dev is no longer in the config")
	if len(w.Commits) != 0 || w.Pulls[0].State != "closed" {
		t.Errorf("left behind: branches %v, pull request %s", w.Commits, w.Pulls[0].State)
	}
}
