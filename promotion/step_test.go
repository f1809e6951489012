package promotion_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

func TestABranchThatMovesMakesTheStepsBeginAnew(t *testing.T) {
	for _, c := range []struct {
		moves  int
		phase  promotion.Phase
		replay int
	}{{0, promotion.PhaseSucceeded, 0}, {3, promotion.PhaseSucceeded, 3}, {1000, promotion.PhaseErrored, 21}} {
		w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
		tries := 0
		w.StepResult = func(promotion.Effect) promotion.Result {
			if tries++; tries <= c.moves {
				return promotion.Result{Err: fmt.Errorf("push: %w", promotion.ErrStale)}
			}
			return promotion.Result{Phase: promotion.StepSucceeded}
		}
		w.Take(pt.Push(pt.SHA("c1")))
		if p := w.All("dev")[0]; p.Phase != c.phase || p.Replays != c.replay {
			t.Errorf("%d moves: %s after %d replays, want %s after %d", c.moves, p.Phase, p.Replays, c.phase, c.replay)
		}
	}
}

// An abort waits for the answer of the step under way: what has landed has
// landed, and what the step may have left is cleaned up.
func TestAbortWhileAStepIsUnderWay(t *testing.T) {
	lost := promotion.Result{Err: promotion.Terminal(fmt.Errorf("connection reset"))}
	for _, c := range []struct {
		name, deliver string
		step          int
		answer        promotion.Result
		phase         promotion.Phase
	}{
		{"it landed", "commit", 2, promotion.Result{Phase: promotion.StepSucceeded, Landed: pt.SHA("x"), Pushed: "main"}, promotion.PhaseSucceeded},
		{"it did not", "commit", 2, lost, promotion.PhaseAborted},
		{"nothing outside", "pull-request", 0, promotion.Result{Phase: promotion.StepSucceeded}, promotion.PhaseAborted},
		{"the branch may be there", "pull-request", 2, lost, promotion.PhaseAborted},
		{"the pull request may be there", "pull-request", 3, lost, promotion.PhaseAborted},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto", c.deliver)))
			w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == c.step }
			w.Take(pt.Push(pt.SHA("c1")))
			p := w.All("prod")[0]
			if c.deliver != "commit" && c.step > 1 {
				w.Commits[promotion.BranchName("default", "prod", p.Name)] = p.Name
			}
			w.Take(pt.Comment(1, w.Now, "/abort prod"))
			if p := w.All("prod")[0]; p.Phase.Terminal() {
				t.Fatalf("%s before the step answered", p.Phase)
			}
			c.answer.Effect = fmt.Sprintf("step/%s/%d", p.Name, c.step)
			w.Take(c.answer)
			w.Sleep(time.Hour)
			if p := w.All("prod")[0]; p.Phase != c.phase {
				t.Errorf("%s: %s", p.Phase, p.Message)
			}
			if len(w.Commits) != 0 {
				t.Errorf("branches left: %v", w.Commits)
			}
		})
	}
}

func TestAPushTellsOfLandingsThatNobodyElseToldOf(t *testing.T) {
	push := func(message string) promotion.Event {
		e := pt.Push(pt.SHA(message))
		body := e.Body.(promotion.Pushed)
		body.Commits = []promotion.PushedCommit{{SHA: body.After, Message: message, Paths: []string{"envs/prod"}}}
		e.Body = body
		return e
	}
	t.Run("a merge", func(t *testing.T) {
		w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Pulls[0].State = "merged"
		w.Take(push("Merge pull request #100 from acme/x"))
		if p := w.All("prod")[0]; p.Phase != promotion.PhaseSucceeded {
			t.Errorf("%s: %s", p.Phase, p.Message)
		}
	})
	t.Run("a commit whose push was given up", func(t *testing.T) {
		w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto", "commit")))
		w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 2 }
		w.Take(pt.Push(pt.SHA("c1")))
		p := w.All("prod")[0]
		w.Take(promotion.Result{Effect: "step/" + p.Name + "/2", Err: promotion.Terminal(fmt.Errorf("connection reset"))})
		w.Take(push("Promote\n\nStagecoach-Promotion: " + p.Name))
		if p := w.All("prod")[0]; p.Phase != promotion.PhaseSucceeded || !strings.Contains(p.Message, "although it was errored") {
			t.Errorf("%s: %s", p.Phase, p.Message)
		}
	})
}

// To be told to wait is not to fail: it counts as no try.
func TestAWaitCountsAsNoTry(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	answers := make([]error, 0, 40)
	for range 2 * promotion.MaxTries {
		answers = append(answers, promotion.RetryAfter(time.Minute, fmt.Errorf("rate limited")))
	}
	answers = append(answers, fmt.Errorf("connection reset"))
	w.StepResult = func(promotion.Effect) promotion.Result {
		if len(answers) == 0 {
			return promotion.Result{Phase: promotion.StepSucceeded}
		}
		err := answers[0]
		answers = answers[1:]
		return promotion.Result{Err: err}
	}
	w.Take(pt.Push(pt.SHA("c1")))
	w.Sleep(24 * time.Hour)
	if p := w.All("dev")[0]; p.Phase != promotion.PhaseSucceeded {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

// A push that failed for good may have made the branch all the same.
func TestWhatAFailedStepMayHaveLeftIsCleanedUp(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 2 }
	w.Take(pt.Push(pt.SHA("c1")))
	p := w.All("prod")[0]
	w.Commits[promotion.BranchName("default", "prod", p.Name)] = p.Name
	w.Take(promotion.Result{Effect: "step/" + p.Name + "/2", Err: promotion.Terminal(fmt.Errorf("connection reset"))})
	if p := w.All("prod")[0]; p.Phase != promotion.PhaseErrored || len(w.Commits) != 0 {
		t.Errorf("%s, branches left: %v", p.Phase, w.Commits)
	}
}
