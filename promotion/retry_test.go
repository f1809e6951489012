package promotion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// What a former attempt left on GitHub goes before the next one begins: it would
// take the branch, which has the same name, for its own.
func TestRetryWaitsUntilTheFormerAttemptIsCleanedUp(t *testing.T) {
	cases := []struct {
		name string
		end  func(w *pt.World, down *promotion.Kind)
	}{
		{"the branch is still there", func(w *pt.World, down *promotion.Kind) {
			*down = promotion.KindDeleteBranch
			w.End("prod", "closed")
		}},
		{"the pull request is still open", func(w *pt.World, down *promotion.Kind) {
			*down = promotion.KindPullRequest
			w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
			w.Sleep(3 * time.Hour) // until the reads of it are given up
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
			w.Take(pt.Push(pt.SHA("c1")))
			var down promotion.Kind
			w.Fault = func(e promotion.Effect) pt.Fault {
				if e.Kind == down || down == promotion.KindPullRequest && e.Kind == promotion.KindStep && e.Step == 4 {
					return pt.NotDone
				}
				return pt.Well
			}
			c.end(w, &down)
			w.Take(pt.Comment(1, w.Now, "/retry prod"))
			if p := w.All("prod")[0]; p.Phase != promotion.PhaseQueued {
				t.Fatalf("%s while the former attempt is cleaned up", p.Phase)
			}
			down = ""
			w.Sleep(time.Hour)
			p := w.All("prod")[0]
			if p.Phase != promotion.PhaseWaiting || p.PullRequest == nil || p.PullRequest.Number != 101 || w.Commits[p.Pushed] != p.Name {
				t.Errorf("%s: %s, pull request %+v, branches %v", p.Phase, p.Message, p.PullRequest, w.Commits)
			}
			if w.Pulls[0].State != "closed" || w.Pulls[1].State != "open" {
				t.Errorf("the former pull request is %s, the new one %s", w.Pulls[0].State, w.Pulls[1].State)
			}
		})
	}
}

// What was merged is not merged again: a later step that errored is gone on with, and then
// the stage holds it.
func TestRetryAfterTheMergeGoesOnFromTheStepThatErrored(t *testing.T) {
	stage := pt.Stage("prod", "auto")
	stage.Deliver, stage.Steps = promotion.DeliverNone, nil
	for _, uses := range []string{"yaml-update", "git-commit", "git-push", "git-open-pr", "git-wait-for-pr", "yaml-parse"} {
		stage.Steps = append(stage.Steps, promotion.Step{Uses: uses})
	}
	w := pt.NewWorld(pt.Pipeline("default", stage))
	ran, broken := map[string]int{}, true
	w.StepResult = func(e promotion.Effect) promotion.Result {
		uses := stage.Steps[e.Step].Uses
		if ran[uses]++; uses == "yaml-parse" && broken {
			return promotion.Result{Err: promotion.Terminal(errors.New("the file is not there"))}
		}
		return promotion.Result{Phase: promotion.StepSucceeded}
	}
	w.Take(pt.Push(pt.SHA("c1")))
	w.End("prod", "merged")
	w.Sleep(time.Hour)
	if p := w.Last("prod"); p.Phase != promotion.PhaseErrored || p.PullRequest.State != "merged" {
		t.Fatalf("%s: %s", p.Phase, p.Message)
	}
	for _, c := range []struct {
		broken bool
		want   promotion.Phase
	}{{true, promotion.PhaseErrored}, {false, promotion.PhaseSucceeded}} {
		broken = c.broken
		w.Say("octocat", "/retry prod")
		w.Sleep(time.Hour)
		if p := w.Last("prod"); p.Phase != c.want {
			t.Errorf("%s: %s, want %s; replies %v", p.Phase, p.Message, c.want, w.Replies)
		}
	}
	p, held := w.Last("prod"), w.State.Pipelines["default"].Stages["prod"].Current
	if held == nil || held.Promotion != p.Name || len(w.Pulls) != 1 || ran["yaml-update"] != 1 || ran["yaml-parse"] != 3 {
		t.Errorf("it holds %+v, %d pull requests, ran %v", held, len(w.Pulls), ran)
	}
}

// Where the config has other steps by now they all run again, and gates count again.
func TestRetryAfterTheMergeWithOtherStepsBeginsAnew(t *testing.T) {
	stage := pt.Stage("prod", "auto")
	stage.Deliver, stage.Steps = promotion.DeliverNone, nil
	for _, uses := range []string{"yaml-update", "git-commit", "git-push", "git-open-pr", "git-wait-for-pr", "yaml-parse"} {
		stage.Steps = append(stage.Steps, promotion.Step{Uses: uses})
	}
	w := pt.NewWorld(pt.Pipeline("default", stage))
	w.StepResult = func(e promotion.Effect) promotion.Result {
		if e.Step == 5 {
			return promotion.Result{Err: promotion.Terminal(errors.New("the file is not there"))}
		}
		return promotion.Result{Phase: promotion.StepSucceeded}
	}
	w.Take(pt.Push(pt.SHA("c1")))
	w.End("prod", "merged")
	stage.Steps = stage.Steps[:5]
	w.Take(pt.Config(pt.Pipeline("default", stage)))
	w.Say("octocat", "/retry prod")
	w.Sleep(time.Hour)
	if p := w.Last("prod"); p.Phase != promotion.PhaseWaiting || p.Landed != "" || p.PullRequest == nil || p.PullRequest.Number != 101 {
		t.Errorf("%s: %s, landed %q, %+v", p.Phase, p.Message, p.Landed, p.PullRequest)
	}
}

// A pull request is closed without a look first, unless it may not be what is known: after
// an earlier life, while its edit is made anew, and when it was found merged.
func TestWhenAPullRequestIsLookedAtBeforeItIsClosed(t *testing.T) {
	for what, c := range map[string]struct {
		change func(p *promotion.Promotion)
		look   bool
	}{
		"as it is known":     {func(*promotion.Promotion) {}, false},
		"of an earlier life": {func(p *promotion.Promotion) { p.Look = true }, true},
		"edited anew":        {func(p *promotion.Promotion) { p.Redo = &promotion.Redo{Begun: true} }, true},
		"merged by somebody": {func(p *promotion.Promotion) { p.PullRequest.State = "merged" }, true},
	} {
		w := waitingPull(t, nil)
		p := w.Last("prod")
		p.Phase, p.EndedAt = promotion.PhaseAborted, w.Now
		c.change(p)
		if e := promotion.Settle(w.State, w.Now).State.Local.Pending["pull-request/"+p.Name]; e == nil || e.Look != c.look {
			t.Errorf("%s: %+v", what, e)
		}
	}
}
