package promotion_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

func TestPushesTag(t *testing.T) {
	for config, want := range map[string]bool{
		"": false, "{}": false, `{"targetBranch": "x"}`: false, `{"tag": "v1"}`: true, `{"tag": "${{ vars.t }}", "path": "."}`: true, "[]": false,
	} {
		step := promotion.Step{Uses: "git-push", Config: json.RawMessage(config)}
		if got := step.PushesTag(); got != want {
			t.Errorf("%s: %t", config, got)
		}
		if step.Uses = "git-tag"; step.PushesTag() {
			t.Error("git-tag pushes nothing")
		}
	}
}

// TestTagsAreStillPushedAfterTheStoreWasLost: the commit that landed tells of the
// steps up to its push, not of the tags after it.
func TestTagsAreStillPushedAfterTheStoreWasLost(t *testing.T) {
	tag := json.RawMessage(`{"tag": "v1"}`)
	for name, c := range map[string]struct {
		steps []promotion.Step
		done  int
	}{
		"a tag after the push":  {[]promotion.Step{{Uses: "git-commit"}, {Uses: "git-push"}, {Uses: "git-tag", Config: tag}, {Uses: "git-push", Config: tag}}, 2},
		"a tag before the push": {[]promotion.Step{{Uses: "git-commit"}, {Uses: "git-tag", Config: tag}, {Uses: "git-push", Config: tag}, {Uses: "git-push"}}, 4},
		"no tag":                {[]promotion.Step{{Uses: "git-commit"}, {Uses: "git-push"}, {Uses: "yaml-update"}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			stage := pt.Stage("dev", "auto", "none")
			stage.Steps = c.steps
			w := pt.NewWorld(pt.Pipeline("default", stage))
			w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep }
			w.Take(pt.Push(pt.SHA("c1")))
			p := w.All("dev")[0]
			fromLedger := *w.State
			fromLedger.Local.Pending = nil
			w.State = promotion.Advance(&fromLedger, []promotion.Input{promotion.Rebuilt{}}, w.Now).State
			w.Take(promotion.Result{Effect: "adopt", Found: []promotion.Found{{
				Promotion: p.Name, Pipeline: "default", Freight: p.Freight, Branch: "main", Commit: pt.SHA(p.Name), Landed: true,
			}}})
			p = w.All("dev")[0]
			if ended := p.Phase == promotion.PhaseSucceeded; ended != (c.done == len(c.steps)) || p.Landed != pt.SHA(p.Name) {
				t.Fatalf("it is %s, landed in %q", p.Phase, p.Landed)
			}
			for i, st := range p.Steps {
				if done := st.Phase == promotion.StepSucceeded; done != (i < c.done) {
					t.Errorf("step %d is %s", i, st.Phase)
				}
			}
			next := w.State.Local.Pending[fmt.Sprintf("step/%s/%d", p.Name, c.done)]
			if (next != nil) != (c.done < len(c.steps)) || next != nil && !next.Look {
				t.Errorf("the next step is %+v", next)
			}
		})
	}
}
