package promotion_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// A file that the promotion writes to is moved, or deleted, on the base: its steps find
// it no more. What happened is said, and what helps; when the file is back, /retry goes on.
func TestTheFileIsMovedOnTheBase(t *testing.T) {
	for to, says := range map[string]string{
		"envs/production": "main holds no more envs/prod (now envs/production). Put it back and `/retry`, or name the new path in the pipeline file",
		"":                "main holds no more envs/prod. Put it back and `/retry`, or name the new path in the pipeline file",
	} {
		w := waitingPull(t, nil)
		conflicting(w)
		w.Moved = map[string]string{written: to}
		gone := true
		w.StepResult = func(promotion.Effect) promotion.Result {
			if gone {
				return promotion.Result{Err: promotion.Terminal(errors.New("there is no file envs/prod"))}
			}
			return promotion.Result{Phase: promotion.StepSucceeded}
		}
		head := w.Pulls[0].Head
		w.TouchBase("octocat", written)
		p := w.Last("prod")
		if p.Phase != promotion.PhaseWaiting || p.Clash == nil || !strings.Contains(p.Clash.Text, says) || w.Pulls[0].Head != head {
			t.Fatalf("%s: %s: %+v", p.Phase, p.Message, p.Clash)
		}
		gone = false
		w.Say("octocat", "/retry prod")
		if p = w.Last("prod"); p.Clash != nil || w.Pulls[0].Head == head {
			t.Errorf("%s: %s: %+v", p.Phase, p.Message, p.Clash)
		}
	}
}
