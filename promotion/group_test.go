package promotion_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// The merge queue asks for our checks on a commit of its own: the promotion's check
// tells its gates, those of other stages stand aside, and a pull request of a person
// passes them all.
func TestTheMergeQueueAsks(t *testing.T) {
	cases := []struct {
		name       string
		number     int
		base       string
		approved   bool
		conclusion string // of the promotion's check there; "": none
		title      string
		aside      bool
		own        string // the check that does not stand aside
	}{
		{"its gates are open", 100, "main", true, "success", "All gates are open: the merge queue may merge it", true, "stagecoach/prod"},
		{"a gate is shut", 100, "main", false, "failure", "Waiting for 1 of 1 approval", true, "stagecoach/prod"},
		{"a person's", 7, "main", true, "", "", true, ""},
		{"of a branch that no stage writes", 7, "legacy", true, "", "", false, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			stage := pt.Stage("prod", "auto")
			stage.Gates.Approvals = &promotion.Approvals{}
			w := pt.NewWorld(pt.Pipeline("default", stage, pt.Stage("dev")))
			w.Take(pt.Push(pt.SHA("c1")))
			w.Now = w.Now.Add(time.Minute)
			if c.approved {
				w.Say("octocat", "/approve prod")
			}
			var check *promotion.Check
			var aside *promotion.Effect
			w.Hold = func(e promotion.Effect) bool {
				if e.SHA == pt.SHA("group") && e.Kind == promotion.KindCheck {
					check = e.Check
				}
				if e.SHA == pt.SHA("group") && e.Kind == promotion.KindNeutral {
					aside = &e
				}
				return false
			}
			w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Grouped{Number: c.number, Base: c.base, SHA: pt.SHA("group")}})
			if (check != nil) != (c.conclusion != "") || check != nil && (check.Conclusion != c.conclusion || check.Title != c.title || check.Name != "stagecoach/prod") {
				t.Errorf("the check is %+v, want %q %q", check, c.conclusion, c.title)
			}
			if (aside != nil) != c.aside || aside != nil && (aside.Text != c.own || aside.Branch != c.base) {
				t.Errorf("what stands aside is %+v, want %v but for %q", aside, c.aside, c.own)
			}
			if p := w.Last("prod"); p.Phase != promotion.PhaseWaiting || p.PullRequest.Head != w.Pulls[0].Head {
				t.Errorf("%s: %s", p.Phase, p.Message)
			}
		})
	}
}

// Out of the queue without a merge: it says why, and is not put back unasked.
func TestOutOfTheMergeQueue(t *testing.T) {
	w := waitingPull(t, func(s *promotion.Stage) {
		mergingStage(s)
	})
	tries := 0
	w.MayMerge = func() bool { tries++; return false }
	w.Now = w.Now.Add(time.Minute)
	w.Say("octocat", "/approve prod")
	out := promotion.PullRequestChanged{Number: 100, Action: "dequeued", Reason: "CI_FAILURE", SameRepo: true}
	before := tries
	w.Take(promotion.Event{Repo: pt.Repo, Body: out})
	w.Sleep(24 * time.Hour)
	if p := w.Last("prod"); p.Message != "Taken out of the merge queue: a required check failed there" || tries != before {
		t.Errorf("%s, after %d more tries", p.Message, tries-before)
	}
	out.Reason = "MERGE"
	w.Take(promotion.Event{Repo: pt.Repo, Body: out})
	if tries != before {
		t.Error("that it is merged has it tried again")
	}
}

// While it is in the merge queue nothing is tried, whatever turns green; out of it, it is.
func TestInTheMergeQueue(t *testing.T) {
	w := waitingPull(t, mergingStage)
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep }
	w.Now = w.Now.Add(time.Minute)
	w.Say("octocat", "/approve prod")
	p := w.Last("prod")
	w.Take(promotion.Result{
		Effect: "step/" + p.Name + "/4", Phase: promotion.StepWaiting, Message: "In the merge queue of main", Tried: true, Queued: true,
		PullRequest: &promotion.PullRequest{Number: 100, Head: p.Commit, State: "open"},
	})
	tries := 0
	w.Hold = nil
	w.MayMerge = func() bool { tries++; return false }
	w.Check(p.Commit, "ci", "success")
	w.Sleep(time.Hour)
	if p := w.Last("prod"); p.Message != "In the merge queue of main" || tries != 0 {
		t.Errorf("%s after %d tries", p.Message, tries)
	}
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "dequeued", Reason: "CI_TIMEOUT", SameRepo: true}})
	w.Check(p.Commit, "ci", "success")
	if tries == 0 {
		t.Error("out of the queue it is never tried again")
	}
}

// Where one stage alone writes a branch, nothing stands aside for its own pull request:
// to look whether a rule asks for it would cost two reads.
func TestNothingStandsAsideForOneself(t *testing.T) {
	w := waitingPull(t, nil)
	aside := false
	w.Hold = func(e promotion.Effect) bool { aside = aside || e.Kind == promotion.KindNeutral; return false }
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{
		Number: 100, Action: "opened", HeadBranch: w.Pulls[0].Branch, HeadSHA: w.Pulls[0].Head, Base: "main", SameRepo: true,
	}})
	if aside {
		t.Error("it does")
	}
}
