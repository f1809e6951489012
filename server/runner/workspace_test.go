package runner

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// A step that says no fails; it does not error, and is not tried again.
func TestOutcomes(t *testing.T) {
	for failed, want := range map[bool]promotion.StepPhase{false: promotion.StepSucceeded, true: promotion.StepFailed} {
		got := with(promotion.Result{Phase: promotion.StepSucceeded}, step.Outcome{Failed: failed, Message: "Why."})
		if got.Phase != want || got.Message != "Why." || got.Err != nil {
			t.Errorf("failed %v gives %+v", failed, got)
		}
	}
}
