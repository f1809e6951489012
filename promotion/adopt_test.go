package promotion_test

import (
	"errors"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// With the store lost, a step that ran again would find its own change on the
// branch, and say that there was nothing to change.
func TestNoStepRunsAgainBeforeItIsKnownWhatLanded(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 2 }
	w.Take(pt.Push(pt.SHA("c1"))) // the push is under way, its answer never comes
	p := w.All("dev")[0]
	fromLedger := *w.State
	fromLedger.Local.Pending = nil
	d := promotion.Advance(&fromLedger, []promotion.Input{promotion.Rebuilt{}}, w.Now)
	for _, e := range d.Effects {
		if e.Kind == promotion.KindStep {
			t.Errorf("%s runs", e.ID)
		}
	}
	w.State, w.Hold = d.State, nil
	clear(w.Ran)
	w.Take(promotion.Result{Effect: "adopt", Found: []promotion.Found{{
		Promotion: p.Name, Pipeline: "default", Freight: p.Freight, Branch: "main", Commit: pt.SHA(p.Name), Landed: true,
	}}})
	if p := w.All("dev")[0]; p.Phase != promotion.PhaseSucceeded || p.Landed != pt.SHA(p.Name) || len(w.Ran) != 0 {
		t.Errorf("%s: %s; ran %v", p.Phase, p.Message, w.Ran)
	}
}

// What an earlier life landed stands below the tip, not on it: what others say of it
// says nothing of what landed after it.
func TestWhatWasLandedBeforeIsNoLaterCommit(t *testing.T) {
	first, second := pt.Stage("first", "auto", "commit"), pt.Stage("second", "auto", "commit")
	second.Verify = &promotion.Verify{Checks: []string{"e2e"}}
	p := pt.Pipeline("default", first, second)
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	older, newer := w.Landing("first"), w.Landing("second")
	w.Tip, w.Results = pt.SHA("c1"), map[string][]promotion.CheckChanged{newer: {}, older: {{SHA: older, Name: "e2e", ID: 1, Conclusion: "failure"}}}
	w.State = &promotion.State{Version: promotion.StateVersion, Repo: pt.Repo, Issue: 1}
	read := pt.Config(p)
	read.Tips = map[string]string{"main": newer}
	w.Take(read, promotion.Rebuilt{})
	w.Check(older, "e2e", "failure")
	says(t, w, "second", promotion.PhaseWaiting, "Verifying")
}

// What errored because its push got no answer may have landed all the same. With the
// disk lost, git tells.
func TestWhatErroredAndLandedIsKnownAfterALostDisk(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"))
	w := pt.NewWorld(p)
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindStep && e.Step == 2 {
			return promotion.Terminal(errors.New("it cannot be done"))
		}
		return nil
	}
	w.Take(pt.Push(pt.SHA("c1")))
	says(t, w, "dev", promotion.PhaseErrored, "Errored at step 3")
	w.Landed, w.Refuse = append(w.Landed, w.Last("dev").Name), nil
	w.LoseStore(p)
	says(t, w, "dev", promotion.PhaseSucceeded, "Landed")
}

// A merge while traces are looked for is no more lost than one before.
func TestAMergeWhileTracesAreLookedForIsKnown(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("dev", "auto"))
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	was := w.Last("dev")
	w.Tip, w.Hold = pt.SHA("c1"), func(e promotion.Effect) bool { return e.Kind == promotion.KindSource }
	loseAll(w, p)
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{
		Number: was.PullRequest.Number, Action: "closed", HeadBranch: was.Pushed, HeadSHA: was.Commit, Base: "main", SameRepo: true, Merged: true, MergedAs: pt.SHA("merged"),
	}})
	w.Hold = nil
	w.Take()
	if got := w.State.Promotion(was.Name); got == nil || got.Phase != promotion.PhaseSucceeded || got.Landed != pt.SHA("merged") {
		t.Errorf("it is %+v, want it landed", got)
	}
}

func TestNothingStartsBeforeItIsKnownWhatLanded(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	d := promotion.Advance(w.State, []promotion.Input{promotion.Rebuilt{}, pt.Push(pt.SHA("c1"))}, w.Now)
	if n := len(d.State.Pipelines["default"].Promotions); n != 0 {
		t.Errorf("%d promotions while traces are looked for", n)
	}
	w.State = d.State
	w.Take()
	if got := w.All("dev"); len(got) != 1 || got[0].Phase != promotion.PhaseSucceeded {
		t.Errorf("afterwards %d promotions", len(got))
	}
}
