package promotion_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

const written = "envs/prod"

// waitingPull is a world in which prod's pull request waits, and needs the approvals
// if any are asked for.
func waitingPull(t *testing.T, change func(*promotion.Stage)) *pt.World {
	t.Helper()
	stage := pt.Stage("prod", "auto")
	if change != nil {
		change(&stage)
	}
	w := pt.NewWorld(pt.Pipeline("default", stage))
	w.Take(pt.Push(pt.SHA("c1")))
	if p := w.Last("prod"); p.Phase != promotion.PhaseWaiting || len(w.Pulls) != 1 {
		t.Fatalf("%s: %s", p.Phase, p.Message)
	}
	return w
}

// conflicting lets a promotion's first edit conflict with main, and the new one not.
func conflicting(w *pt.World) {
	w.Conflicts = func(p *promotion.Promotion) []string {
		if p.Redos == 0 {
			return []string{written}
		}
		return nil
	}
}

// A push to the base that makes a pull request conflict has its edit made anew, and
// approvals are asked for again. One that touches other files, or other lines of the
// same ones, changes nothing, and the first of these costs nothing.
func TestTheBaseMoves(t *testing.T) {
	cases := []struct {
		name    string
		paths   []string
		clash   bool
		looks   int
		renewed bool
	}{
		{"other files", []string{"docs/README.md", "envs/production/a.yaml"}, true, 0, false},
		{"the same file, other lines", []string{written}, false, 1, false},
		{"the same file, and it conflicts", []string{written}, true, 1, true},
		{"a folder where the file was", []string{written + "/a.yaml"}, true, 1, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := waitingPull(t, func(s *promotion.Stage) { s.Gates.Approvals = &promotion.Approvals{} })
			w.Now = w.Now.Add(time.Minute)
			w.Say("octocat", "/approve prod")
			if c.clash {
				conflicting(w)
			}
			looks, began := 0, w.Pulls[0].Head
			w.OnAdvance = func(before, after *promotion.State) {
				for id := range after.Local.Pending {
					if before.Local.Pending[id] == nil && strings.HasPrefix(id, "compare/") {
						looks++
					}
				}
			}
			w.TouchBase("monalisa", c.paths...)
			p := w.Last("prod")
			if looks != c.looks {
				t.Errorf("%d comparisons, want %d", looks, c.looks)
			}
			if renewed := w.Pulls[0].Head != began; renewed != c.renewed {
				t.Fatalf("the edit was made anew: %v, want %v: %s", renewed, c.renewed, p.Message)
			}
			wantGate, wantRan := "Approved by octocat", 1
			if c.renewed {
				wantGate, wantRan = "Waiting for 1 of 1 approval", 2
			}
			if ran := w.Ran["step/"+p.Name+"/0"]; ran != wantRan {
				t.Errorf("the edit ran %d times, want %d", ran, wantRan)
			}
			if p.Phase != promotion.PhaseWaiting || !slices.ContainsFunc(p.Gates, func(g promotion.Gate) bool { return g.Text == wantGate }) {
				t.Errorf("%s: %s, gates %+v; want %q", p.Phase, p.Message, p.Gates, wantGate)
			}
			if n := w.Checks[p.Name+"@"+w.Pulls[0].Head]; n != 1 {
				t.Errorf("%d check runs on the head", n)
			}
			if len(w.Pulls) != 1 || p.PullRequest.Head != w.Pulls[0].Head || p.Commit != w.Pulls[0].Head || p.Redo != nil || len(p.PullRequest.Pushers) != 0 {
				t.Errorf("pull requests %+v, the promotion has %+v", w.Pulls[0], p.PullRequest)
			}
			w.End("prod", "merged")
			if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded {
				t.Errorf("%s: %s", p.Phase, p.Message)
			}
		})
	}
}

// What people changed where the edit writes is theirs until somebody says otherwise.
func TestAPersonChangedTheSame(t *testing.T) {
	w := waitingPull(t, nil)
	began := w.Pulls[0].Head
	w.Conflicts = func(*promotion.Promotion) []string { return []string{written} }
	w.Overwrites = w.Conflicts
	w.TouchBase("monalisa", written)
	p := w.Last("prod")
	const want = "Conflicts with main: a person changed what this changes in envs/prod"
	if p.Phase != promotion.PhaseWaiting || p.Message != want || w.Pulls[0].Head != began || p.Commit != began || w.Pulls[0].State != "open" {
		t.Fatalf("%s: %q, the head is %s, want %q with the head left alone", p.Phase, p.Message, w.Pulls[0].Head, want)
	}
	if len(p.Steps) != 5 || p.Steps[0].Phase != promotion.StepSucceeded || p.Steps[2].Phase != promotion.StepSucceeded {
		t.Errorf("the former edit does not stand: %+v", p.Steps)
	}
	runs := w.Ran["step/"+p.Name+"/2"]
	w.Sleep(48 * time.Hour) // it waits, and costs nothing
	if w.Ran["step/"+p.Name+"/2"] != runs {
		t.Error("it was tried again unasked")
	}
	w.Mergeable = func(*pt.Pull) promotion.Mergeability { return promotion.MergeConflict }
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
	if w.Ran["step/"+p.Name+"/2"] != runs || w.Last("prod").Message != want {
		t.Error("that GitHub says so too has it tried again")
	}
	w.Conflicts, w.Mergeable = nil, nil
	w.Say("octocat", "/retry prod")
	p = w.Last("prod")
	if len(w.Anew) != 1 || w.Pulls[0].Head != w.Anew[0] || p.Clash != nil || p.Message != "Waiting for merge: all gates are open" {
		t.Errorf("pushed anew %v, the head is %s: %s", w.Anew, w.Pulls[0].Head, p.Message)
	}
}

// A person took back what they had changed.
func TestTheConflictGoesAway(t *testing.T) {
	w := waitingPull(t, nil)
	w.Conflicts = func(*promotion.Promotion) []string { return []string{written} }
	w.Overwrites = w.Conflicts
	w.TouchBase("monalisa", written)
	w.Conflicts = nil
	w.TouchBase("monalisa", written)
	if p := w.Last("prod"); p.Clash != nil || p.Message != "Waiting for merge: all gates are open" || len(w.Anew) != 0 {
		t.Errorf("%s, pushed anew %v", p.Message, w.Anew)
	}
}

// Where people pushed to the pull request nothing is put over that, whatever
// happens to the base: GitHub is asked, and its word is told.
func TestWhatPeoplePushedStays(t *testing.T) {
	w := waitingPull(t, nil)
	w.PushTo("prod", "monalisa", pt.SHA("by hand"))
	w.Conflicts = func(*promotion.Promotion) []string { return []string{written} }
	can := promotion.MergeConflict
	w.Mergeable = func(*pt.Pull) promotion.Mergeability { return can }
	w.TouchBase("octocat", written)
	p := w.Last("prod")
	if p.Message != "Conflicts with main: resolve it in the pull request" || w.Pulls[0].Head != pt.SHA("by hand") || len(w.Anew) != 0 {
		t.Fatalf("%s, the head is %s", p.Message, w.Pulls[0].Head)
	}
	w.Say("octocat", "/retry prod")
	if len(w.Anew) != 0 || !strings.Contains(strings.Join(w.Replies, "\n"), "nothing is put over that") {
		t.Errorf("answers %v", w.Replies)
	}
	can = promotion.MergeClean
	w.PushTo("prod", "monalisa", pt.SHA("resolved"))
	if p := w.Last("prod"); p.Clash != nil || p.Message != "Waiting for merge: all gates are open" {
		t.Errorf("after it was resolved: %s", p.Message)
	}
}

// A person pushes while the edit is made anew: theirs stays.
func TestPushedWhileItIsMadeAnew(t *testing.T) {
	w := waitingPull(t, nil)
	conflicting(w)
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 2 }
	w.TouchBase("octocat", written)
	w.PushTo("prod", "monalisa", pt.SHA("by hand"))
	w.Hold = nil
	w.Take()
	p := w.Last("prod")
	if w.Pulls[0].Head != pt.SHA("by hand") || p.PullRequest.Head != pt.SHA("by hand") || p.Phase != promotion.PhaseWaiting || p.Redo != nil || p.Clash != nil {
		t.Errorf("%s: %s, the head is %s", p.Phase, p.Message, w.Pulls[0].Head)
	}
}

// The edit cannot be made anew, because what it needs is gone: the former one
// stands, and it is said why.
func TestTheNewEditFails(t *testing.T) {
	w := waitingPull(t, nil)
	began := w.Pulls[0].Head
	w.Conflicts = func(*promotion.Promotion) []string { return []string{written} }
	broken := true
	w.StepResult = func(promotion.Effect) promotion.Result {
		if broken {
			return promotion.Result{Phase: promotion.StepFailed, Message: "there is no key image.tag"}
		}
		return promotion.Result{Phase: promotion.StepSucceeded}
	}
	w.TouchBase("octocat", written)
	p := w.Last("prod")
	if p.Phase != promotion.PhaseWaiting || !strings.Contains(p.Message, "there is no key image.tag") || w.Pulls[0].State != "open" || w.Pulls[0].Head != began {
		t.Fatalf("%s: %s, the pull request is %+v", p.Phase, p.Message, w.Pulls[0])
	}
	broken, w.Conflicts = false, nil
	w.Say("octocat", "/retry prod")
	if p := w.Last("prod"); len(w.Anew) != 1 || p.Message != "Waiting for merge: all gates are open" {
		t.Errorf("pushed anew %v: %s", w.Anew, p.Message)
	}
}

// Somebody made the same change by hand: nothing is left to do.
func TestNothingIsLeftToChange(t *testing.T) {
	w := waitingPull(t, func(s *promotion.Stage) { s.Gates.Approvals = &promotion.Approvals{} })
	conflicting(w)
	w.Unchanged = func(p *promotion.Promotion) bool { return p.Redo != nil }
	w.TouchBase("octocat", written)
	p := w.Last("prod")
	if p.Phase != promotion.PhaseSucceeded || !strings.HasPrefix(p.Message, "Nothing to change any more: main holds it at ") || len(p.Past) != 0 {
		t.Errorf("%s: %s, past %v", p.Phase, p.Message, p.Past)
	}
	if w.Pulls[0].State != "closed" || len(w.Commits) != 0 {
		t.Errorf("the pull request is %s, branches %v", w.Pulls[0].State, w.Commits)
	}
	if st := w.State.Pipelines["default"].Stages["prod"]; st.Current == nil || st.Current.Promotion != p.Name {
		t.Error("the stage does not hold it")
	}
}

// It ends while its edit is made anew: nothing is left on GitHub.
func TestAbortedWhileItIsMadeAnew(t *testing.T) {
	for step := range 4 {
		t.Run(fmt.Sprintf("at step %d", step+1), func(t *testing.T) {
			w := waitingPull(t, nil)
			conflicting(w)
			w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == step }
			w.TouchBase("octocat", written)
			w.Say("octocat", "/abort prod")
			w.Hold = nil
			w.Take()
			if p := w.Last("prod"); p.Phase != promotion.PhaseAborted || w.Pulls[0].State != "closed" || len(w.Commits) != 0 {
				t.Errorf("%s: %s; the pull request is %s, branches %v", p.Phase, p.Message, w.Pulls[0].State, w.Commits)
			}
		})
	}
}

// The app merges, a rule asks for the base's tip in the head, and the base moved.
func TestBehindTheBase(t *testing.T) {
	w := waitingPull(t, func(s *promotion.Stage) {
		s.PullRequest.Merge = promotion.MergeAuto
		s.Gates.Approvals = &promotion.Approvals{}
	})
	w.MayMerge = func() bool { return len(w.Anew) > 0 }
	w.Mergeable = func(*pt.Pull) promotion.Mergeability {
		if len(w.Anew) > 0 {
			return promotion.MergeClean
		}
		return promotion.MergeBehind
	}
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
	if len(w.Anew) != 0 {
		t.Error("it is made anew although it could not be merged yet")
	}
	w.Now = w.Now.Add(time.Minute)
	w.Say("octocat", "/approve prod")
	if p := w.Last("prod"); len(w.Anew) != 1 || p.Message != "Waiting for 1 of 1 approval" {
		t.Fatalf("pushed anew %v: %s", w.Anew, p.Message)
	}
	w.Now = w.Now.Add(time.Minute)
	w.Say("octocat", "/approve prod")
	if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

// A branch that never rests does not have an edit made anew for ever.
func TestMadeAnewForEver(t *testing.T) {
	stage := pt.Stage("prod", "auto")
	stage.PullRequest.Merge = promotion.MergeAuto
	w := pt.NewWorld(pt.Pipeline("default", stage))
	w.MayMerge = func() bool { return false }
	w.Mergeable = func(*pt.Pull) promotion.Mergeability { return promotion.MergeBehind }
	w.Take(pt.Push(pt.SHA("c1")))
	for range 30 {
		w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
	}
	if p := w.Last("prod"); len(w.Anew) != 20 || p.Message != "Its edit was made anew 20 times, because main moved on" {
		t.Fatalf("made anew %d times: %s", len(w.Anew), p.Message)
	}
	w.Mergeable, w.MayMerge = nil, nil
	w.Say("octocat", "/retry prod")
	if p := w.Last("prod"); len(w.Anew) != 21 || p.Phase != promotion.PhaseSucceeded {
		t.Errorf("made anew %d times: %s: %s", len(w.Anew), p.Phase, p.Message)
	}
}

// The base moves again while the edit is made anew: it is compared once more.
func TestTheBaseMovesTwice(t *testing.T) {
	w := waitingPull(t, nil)
	w.Conflicts = func(p *promotion.Promotion) []string {
		if p.Redos < 2 {
			return []string{written}
		}
		return nil
	}
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 0 }
	w.TouchBase("octocat", written)
	w.TouchBase("octocat", written)
	w.Hold = nil
	w.Take()
	if p := w.Last("prod"); len(w.Anew) != 2 || p.Message != "Waiting for merge: all gates are open" || p.PullRequest.Head != w.Anew[1] {
		t.Errorf("pushed anew %v: %s", w.Anew, p.Message)
	}
}

// Whatever goes wrong while an edit is made anew, in the end there is one commit in
// place of the former one, one pull request, and one check run on each head.
func TestMadeAnewThroughFaults(t *testing.T) {
	for _, fault := range []pt.Fault{pt.NotDone, pt.AnswerLost, pt.Crash, pt.CrashFirst} {
		for at := range 6 {
			t.Run(fmt.Sprintf("fault %d at effect %d", fault, at), func(t *testing.T) {
				w := waitingPull(t, nil)
				conflicting(w)
				n := 0
				w.Fault = func(promotion.Effect) pt.Fault {
					if n++; n-1 == at {
						return fault
					}
					return pt.Well
				}
				w.TouchBase("octocat", written)
				w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Woke{}})
				w.Sleep(time.Hour)
				p := w.Last("prod")
				if len(w.Anew) != 1 || w.Pulls[0].Head != w.Anew[0] || p.PullRequest.Head != w.Anew[0] || len(w.Pulls) != 1 || p.Redo != nil {
					t.Errorf("pushed anew %v, the pull request is %+v, the promotion has %+v: %s", w.Anew, w.Pulls[0], p.PullRequest, p.Message)
				}
				if n <= at {
					t.Errorf("there are %d effects: nothing went wrong", n)
				}
				for of, n := range w.Checks {
					if n != 1 {
						t.Errorf("%d check runs %s", n, of)
					}
				}
				w.End("prod", "merged")
				if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded || len(w.Commits) != 0 {
					t.Errorf("%s: %s, branches %v", p.Phase, p.Message, w.Commits)
				}
			})
		}
	}
}

// The disk is lost while an edit is made anew, with the ledger as it was before or
// in the middle.
func TestMadeAnewWithoutTheDisk(t *testing.T) {
	for at := range 4 {
		for _, before := range []bool{true, false} {
			t.Run(fmt.Sprintf("after step %d, the ledger from before %v", at, before), func(t *testing.T) {
				w := waitingPull(t, nil)
				pipeline := w.State.Local.Config["default"]
				ledger := w.State
				conflicting(w)
				w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == at }
				w.TouchBase("octocat", written)
				w.Hold = nil
				if before {
					w.State = ledger
				}
				w.LoseStore(pipeline)
				w.Sleep(time.Hour)
				p := w.Last("prod")
				if head := w.Pulls[0].Head; p.Phase != promotion.PhaseWaiting || p.PullRequest.Head != head || p.Commit != head || len(w.Pulls) != 1 || w.Heads[w.Pulls[0].Branch] != head {
					t.Errorf("%s: %s; the pull request is %+v, the promotion has %+v and %s", p.Phase, p.Message, w.Pulls[0], p.PullRequest, p.Commit)
				}
				w.End("prod", "merged")
				if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded || len(w.Commits) != 0 {
					t.Errorf("%s: %s, branches %v", p.Phase, p.Message, w.Commits)
				}
			})
		}
	}
}

// A retry goes on with an edit whose base moved since.
func TestARetryGoesOnWithAnOldEdit(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
	conflicting(w)
	refused := true
	w.Refuse = func(e promotion.Effect) error {
		if refused && e.Kind == promotion.KindStep && e.Step == 1 {
			return promotion.Terminal(pt.ErrLost)
		}
		return nil
	}
	w.Take(pt.Push(pt.SHA("c1")))
	w.TouchBase("octocat", written)
	refused = false
	w.Say("octocat", "/retry prod")
	if p := w.Last("prod"); len(w.Anew) != 1 || p.PullRequest == nil || p.PullRequest.Head != w.Anew[0] {
		t.Errorf("pushed anew %v: %s: %s", w.Anew, p.Phase, p.Message)
	}
}

// It was found merged, and ended before it was said by which commit.
func TestAbortedAfterItWasFoundMerged(t *testing.T) {
	w := waitingPull(t, nil)
	p := w.Last("prod")
	w.Pulls[0].State = "merged"
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep }
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
	w.Take(promotion.Result{
		Effect: "step/" + p.Name + "/4", Phase: promotion.StepWaiting, PullRequest: &promotion.PullRequest{Number: 100, Head: p.Commit, State: "merged"},
	})
	w.Say("octocat", "/abort prod")
	w.Hold = nil
	w.Sleep(time.Hour)
	if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded || p.Landed == "" {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

// A step is under way when the conflict is found: it answers first, for it may merge.
func TestAStepAnswersBeforeTheNewEditBegins(t *testing.T) {
	w := waitingPull(t, nil)
	conflicting(w)
	p := w.Last("prod")
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 4 }
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
	w.TouchBase("octocat", written)
	if now := w.Last("prod"); now.Redo == nil || now.Redo.Begun || w.Ran["step/"+p.Name+"/0"] != 1 {
		t.Fatalf("the edit ran %d times, %+v", w.Ran["step/"+p.Name+"/0"], now.Redo)
	}
	w.Hold = nil
	w.Take()
	if len(w.Anew) != 1 {
		t.Errorf("pushed anew %v", w.Anew)
	}
}
