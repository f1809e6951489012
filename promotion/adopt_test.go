package promotion_test

import (
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
