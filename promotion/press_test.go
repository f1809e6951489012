package promotion_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// press is the delivery of a pressed button.
func press(w *pt.World, cause, action string, p *promotion.Promotion, sha string) promotion.Event {
	return promotion.Event{Repo: pt.Repo, Cause: cause, At: w.Now, Body: promotion.Pressed{
		Check: 1, Promotion: p.Name, Action: action, By: "octocat", SHA: sha, Writer: w.State.Local.Writer,
	}}
}

// loseAllAs is loseAll for a server whose new store has another name.
func loseAllAs(w *pt.World, store string, p *promotion.Pipeline, then ...promotion.Input) {
	w.State = &promotion.State{Version: promotion.StateVersion, Repo: pt.Repo, Issue: 1}
	w.State.Local.Writer = store
	w.Take(append([]promotion.Input{pt.Config(p), promotion.Rebuilt{}}, then...)...)
}

// A press says on its check run that it was heard, and so the same press does nothing
// when tracking issue and disk are lost; one that nobody heard is carried out then.
func TestAPressIsKnownAgainByItsCheckRun(t *testing.T) {
	for _, c := range []struct {
		name       string
		heard      bool
		promotions int
	}{{"heard", true, 0}, {"not heard", false, 1}} {
		t.Run(c.name, func(t *testing.T) {
			p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "after:dev"))
			w := pt.NewWorld(p)
			w.State.Local.Writer = "first"
			w.Take(pt.Push(pt.SHA("c1")))
			w.Tip = pt.SHA("c1")
			dev := w.Last("dev")
			again := press(w, "guid", "promote", dev, dev.Landed)
			if c.heard {
				w.Take(again)
				w.Say("octocat", "/abort prod") // it left nothing in git
				w.Pulls = nil                   // nor among the pull requests that are looked at
			}
			w.Now = w.Now.Add(time.Hour)
			loseAllAs(w, "second", p, again)
			w.Take(again)
			if got := len(w.All("prod")); got != c.promotions {
				t.Errorf("%d promotions to prod, want %d", got, c.promotions)
			}
			w.Take(press(w, "another", "promote", w.State.Promotion(dev.Name), dev.Landed))
			if got := w.Last("prod"); got == nil || got.Phase != promotion.PhaseWaiting {
				t.Errorf("pressed once more it is %+v", got)
			}
		})
	}
}

// A refused press is known again too: what somebody might not do then is not done when
// they may, because a delivery came once more.
func TestARefusedPressIsNotCarriedOutLater(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("prod", "auto"))
	w := pt.NewWorld(p)
	w.State.Local.Writer = "first"
	w.Take(pt.Push(pt.SHA("c1")))
	w.Tip, w.Permission = pt.SHA("c1"), "read"
	abort := press(w, "guid", "abort", w.Last("prod"), w.Last("prod").PullRequest.Head)
	w.Take(abort)
	w.Permission = ""
	w.Now = w.Now.Add(time.Hour)
	loseAllAs(w, "second", p, abort)
	if got := w.Last("prod"); got == nil || got.Phase != promotion.PhaseWaiting {
		t.Errorf("it is %+v, want it to wait still", got)
	}
}

// A button on a check run that another one has followed does nothing: whoever pressed it
// looked at another attempt, or at other content.
func TestAButtonOfAnOlderLookDoesNothing(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("prod", "auto"))
	p.Stages[0].Gates.Approvals = &promotion.Approvals{}
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	first := w.Last("prod")
	old := first.PullRequest.Head
	w.PushTo("prod", "monalisa", pt.SHA("by hand"))
	w.Take(press(w, "approve", "approve", first, old))
	if got := w.Last("prod").Approvals; len(got) != 0 {
		t.Errorf("approved by a button on the head before: %+v", got)
	}
	w.End("prod", "closed")
	w.Take(press(w, "retry", "retry", first, pt.SHA("by hand")))
	if got := w.Last("prod"); got.Phase != promotion.PhaseWaiting || len(w.Pulls) != 2 {
		t.Fatalf("tried again it is %+v", got)
	}
	w.Take(press(w, "abort before", "abort", first, pt.SHA("by hand")))
	if got := w.Last("prod"); got.Phase != promotion.PhaseWaiting {
		t.Errorf("a button of the attempt before ended it: %s", got.Message)
	}
	w.Take(press(w, "abort", "abort", first, w.Last("prod").PullRequest.Head))
	if got := w.Last("prod"); got.Phase != promotion.PhaseAborted {
		t.Errorf("its own button did not end it: %s", got.Phase)
	}
}

// A check run's mark is read as it was written, and nothing else is taken for one.
func TestCheckMark(t *testing.T) {
	for _, m := range []promotion.CheckMark{
		{}, {Revision: 7}, {Revision: 7, Writer: "1750000000000-bbbbbbbb"}, {Revision: 1, Writer: "a-b", Heard: []string{"x", "y"}},
	} {
		got := promotion.ParseCheckMark("**prod** ← web 1.4.2\n\n" + m.String() + "\n")
		if got.Revision != m.Revision || got.Writer != m.Writer || len(got.Heard) != len(m.Heard) {
			t.Errorf("%+v became %+v", m, got)
		}
	}
	for _, text := range []string{"", "<!-- stagecoach check: ledger revision 7", "<!-- ledger revision 7 -->"} {
		if got := promotion.ParseCheckMark(text); got.Revision != 0 || got.Writer != "" || got.Heard != nil {
			t.Errorf("%q became %+v", text, got)
		}
	}
}
