package promotion_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// tick is that somebody ticks a box of an issue, told by a delivery.
func tick(w *pt.World, delivery string, issue int, login, name, stage string) {
	w.Take(promotion.Event{Repo: pt.Repo, Cause: delivery, At: w.Now, Body: promotion.Ticked{
		Number: issue, By: login, Commands: []promotion.Command{{Line: 1, Name: name, Args: []string{stage}}},
	}})
}

func TestTickedBoxesAreCommandsOfWhoTicksThem(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {
		prod.Gates.Approvals = &promotion.Approvals{Count: 2, Users: []string{"hubot", "monalisa"}}
	}))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod")
	issue, waits := w.State.Issue, "Waiting for 2 of 2 approvals"
	w.Sleep(time.Minute)
	tick(w, "d1", issue+1, "hubot", "approve", "default/prod")
	says(t, w, "prod", promotion.PhaseWaiting, waits) // of another issue
	before := len(w.Replies)
	tick(w, "d2", issue, "octocat", "approve", "default/prod")
	tick(w, "d2", issue, "octocat", "approve", "default/prod") // the delivery comes again
	says(t, w, "prod", promotion.PhaseWaiting, waits)
	if said := w.Replies[before:]; len(said) != 1 || !strings.HasPrefix(said[0], "@octocat may not `/approve` for prod") {
		t.Errorf("the answer to who may not is %q", said)
	}
	tick(w, "d3", issue, "hubot", "approve", "default/prod")
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 1 of 2 approvals (hubot approved)")
	tick(w, "d4", issue, "monalisa", "approve", "default/prod")
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge: all gates are open")
	if said := w.Replies[before:]; len(said) != 1 {
		t.Errorf("what is as wanted is answered by the issue alone, not by %q", said[1:])
	}
	tick(w, "d5", issue, "monalisa", "retry", "default/prod")
	if said := w.Replies[before:]; len(said) != 2 || !strings.HasPrefix(said[1], "@monalisa: There is nothing to retry in prod.") {
		t.Errorf("a tick that makes no sense is answered with %q", said[1:])
	}
	for _, s := range w.State.Comments {
		if !s.Done {
			t.Errorf("the tick %s is not done with", s.Cause)
		}
	}
}

// An answer that got lost is looked for: it is not given twice.
func TestATickIsAnsweredOnce(t *testing.T) {
	w := pt.NewWorld(gated(func(_, _ *promotion.Stage) {}))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Fault = func(e promotion.Effect) pt.Fault {
		if e.Kind == promotion.KindReply && !e.Look {
			return pt.Crash
		}
		return pt.Well
	}
	before := len(w.Replies)
	tick(w, "d1", w.State.Issue, "octocat", "retry", "default/dev")
	w.Take()
	w.Sleep(time.Minute)
	if said := w.Replies[before:]; len(said) != 1 || len(w.State.Local.Pending) != 0 {
		t.Errorf("answered with %q, and %d effects wait", said, len(w.State.Local.Pending))
	}
}

// An approval by a box is for what stood there: a push after it voids it.
func TestATickFromBeforeAPushDoesNotApproveIt(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Gates.Approvals = &promotion.Approvals{} }))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod")
	w.Sleep(time.Minute)
	ticked := w.Now
	w.Sleep(time.Minute)
	w.PushTo("prod", "monalisa", pt.SHA("mine"))
	w.Sleep(time.Minute)
	w.Take(promotion.Event{Repo: pt.Repo, Cause: "late", At: ticked, Body: promotion.Ticked{
		Number: w.State.Issue, By: "hubot", Commands: []promotion.Command{{Line: 1, Name: "approve", Args: []string{"prod"}}},
	}})
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 1 of 1 approval")
}
