package promotion_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

func merged(p *promotion.Promotion) promotion.Event {
	return promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{
		Number: 100, Action: "closed", HeadBranch: promotion.BranchName("default", "prod", p.Name), Base: "main",
		SameRepo: true, Merged: true, MergedAs: pt.SHA("merge of " + p.Name),
	}}
}

// openedPull is GitHub's answer to the request that opens a promotion's pull request.
func openedPull(p *promotion.Promotion) promotion.Result {
	return promotion.Result{
		Effect: "step/" + p.Name + "/3", Phase: promotion.StepSucceeded,
		PullRequest: &promotion.PullRequest{Number: 100, Head: p.Commit, State: "open"},
	}
}

// A person is faster than the answer to the request that opened it.
func TestMergedBeforeItIsKnownToBeOpen(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 3 }
	w.Take(pt.Push(pt.SHA("c1")))
	p := w.All("prod")[0]
	opened := openedPull(p)
	w.Pulls = append(w.Pulls, &pt.Pull{Number: 100, Branch: p.Pushed, Head: p.Commit, State: "merged"})
	w.Hold = nil
	w.Take(merged(p), opened)
	if p := w.All("prod")[0]; p.Phase != promotion.PhaseSucceeded {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

// GitHub tells of its opening before it answers the request that opened it: nothing is
// read because of that. What anybody else did meanwhile is.
func TestOpenedBeforeItIsKnownToBeOpen(t *testing.T) {
	for action, stale := range map[string]bool{"opened": false, "synchronize": false, "edited": true, "closed": true} {
		w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
		w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 3 }
		w.Take(pt.Push(pt.SHA("c1")))
		p := w.All("prod")[0]
		opened := openedPull(p)
		w.Pulls = append(w.Pulls, &pt.Pull{Number: 100, Branch: p.Pushed, Head: p.Commit, State: "open"})
		looks := 0
		w.Hold = func(e promotion.Effect) bool {
			if p := w.State.Promotion(e.Promotion); p != nil && p.PullRequest != nil && p.PullRequest.Stale {
				looks++
			}
			return false
		}
		w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{
			Number: 100, Action: action, HeadBranch: p.Pushed, HeadSHA: p.Commit, Base: "main", SameRepo: true,
		}}, opened)
		if got := looks > 0; got != stale {
			t.Errorf("%s: %d looks that distrust the answer", action, looks)
		}
	}
}

// A read shows a head before the event of its push tells whose it is. Who pushed does not
// count as one who approved, from then on, though the head is known already.
func TestWhoPushedIsKnownByALateEvent(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("prod", "auto"))
	p.Stages[0].Gates.Approvals = &promotion.Approvals{ExcludeRequester: true}
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	pull, pushed := w.Pulls[0], w.Now.Add(time.Minute)
	pull.Head, w.Heads[pull.Branch] = pt.SHA("by hand"), pt.SHA("by hand")
	w.Now = pushed.Add(time.Minute)
	w.Take(promotion.Event{Repo: pt.Repo, At: w.Now, Body: promotion.PullRequestChanged{Number: pull.Number, Action: "reopened", HeadBranch: pull.Branch, SameRepo: true}})
	if got := w.Last("prod").PullRequest.Head; got != pull.Head {
		t.Fatalf("the read showed %s", got)
	}
	w.Now = w.Now.Add(time.Minute)
	w.Say("monalisa", "/approve prod")
	w.Take(promotion.Event{Repo: pt.Repo, At: pushed, Body: promotion.PullRequestChanged{
		Number: pull.Number, Action: "synchronize", HeadBranch: pull.Branch, HeadSHA: pull.Head, Base: "main", SameRepo: true, By: "monalisa",
	}})
	for _, g := range w.Last("prod").Gates {
		if g.Name == promotion.GateApprovals && g.Status == promotion.GateOpen {
			t.Errorf("monalisa pushed, and her own yes opens the gate: %s", g.Text)
		}
	}
}

// The read that one event started may have been before the next event.
func TestMergedWhileItIsRead(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	w.Take(pt.Push(pt.SHA("c1")))
	p := w.All("prod")[0]
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep }
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
	w.Pulls[0].State = "merged"
	w.Hold = nil
	still := promotion.Result{
		Effect: "step/" + p.Name + "/4", Phase: promotion.StepWaiting, Message: "Waiting for merge: all gates are open",
		PullRequest: &promotion.PullRequest{Number: 100, Head: p.Commit, State: "open"},
	}
	w.Take(merged(p), still)
	if p := w.All("prod")[0]; p.Phase != promotion.PhaseSucceeded {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

// What has landed has landed, whatever was said meanwhile.
func TestAbortedAlthoughItWasMerged(t *testing.T) {
	cases := map[string]func(*pt.World, *promotion.Promotion){
		"the close finds it merged": func(w *pt.World, _ *promotion.Promotion) { w.Take(pt.Comment(1, w.Now, "/abort prod")) },
		"the event is late": func(w *pt.World, p *promotion.Promotion) {
			w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindPullRequest }
			w.Take(pt.Comment(1, w.Now, "/abort prod"))
			w.Take(merged(p))
		},
	}
	for name, story := range cases {
		t.Run(name, func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
			w.Take(pt.Push(pt.SHA("c1")))
			w.Pulls[0].State = "merged"
			story(w, w.All("prod")[0])
			p := w.All("prod")[0]
			if p.Phase != promotion.PhaseSucceeded || !strings.HasSuffix(p.Message, "although it was aborted before that was known") {
				t.Errorf("%s: %s", p.Phase, p.Message)
			}
			if st := w.State.Pipelines["default"].Stages["prod"]; st == nil || st.Current == nil || st.Current.Promotion != p.Name {
				t.Error("the stage does not hold what landed there")
			}
			if w.Pulls[0].State != "merged" {
				t.Errorf("the pull request is %s", w.Pulls[0].State)
			}
		})
	}
}

// The event said that it is merged, and then GitHub will not show it.
func TestMergedAndNeverRead(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	w.Take(pt.Push(pt.SHA("c1")))
	p := w.All("prod")[0]
	w.Pulls[0].State = "merged"
	w.Hold = func(e promotion.Effect) bool {
		return e.Kind == promotion.KindStep || e.Kind == promotion.KindPullRequest
	}
	w.Take(merged(p))
	for _, effect := range []string{"step/" + p.Name + "/4", "pull-request/" + p.Name} { // the read, and then the closing
		w.Take(promotion.Result{Effect: effect, Phase: promotion.StepErrored, Err: promotion.Terminal(errors.New("not to be had"))})
	}
	p = w.All("prod")[0]
	if p.Phase != promotion.PhaseSucceeded || p.Landed != pt.SHA("merge of "+p.Name) || p.PullRequest.State != "merged" {
		t.Errorf("%s: %s, landed as %q, pull request %s", p.Phase, p.Message, p.Landed, p.PullRequest.State)
	}
	if st := w.State.Pipelines["default"].Stages["prod"]; st == nil || st.Current == nil || st.Current.Promotion != p.Name {
		t.Error("the stage does not hold what landed there")
	}
}
