package promotion_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
	"github.com/stagecoach-app/stagecoach/promotion/window"
)

// gated is dev → prod, prod by hand, each shaped by the test.
func gated(shape func(dev, prod *promotion.Stage)) *promotion.Pipeline {
	dev, prod := pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "after:dev")
	shape(&dev, &prod)
	return pt.Pipeline("default", dev, prod)
}

// says checks the phase and the beginning of the sentence of a stage's newest promotion.
func says(t *testing.T, w *pt.World, stage string, phase promotion.Phase, text string) {
	t.Helper()
	p := w.Last(stage)
	if p == nil {
		t.Fatalf("nothing was promoted to %s", stage)
	}
	if p.Phase != phase || !strings.HasPrefix(p.Message, text) {
		t.Errorf("%s is %s: %q, want %s: %q", p.Name, p.Phase, p.Message, phase, text)
	}
}

func none(t *testing.T, w *pt.World, stage string) {
	t.Helper()
	if p := w.Last(stage); p != nil {
		t.Fatalf("%s is %s: %q, want nothing promoted to %s", p.Name, p.Phase, p.Message, stage)
	}
}

func TestSoakStartsToTheSecondAlsoAfterARestart(t *testing.T) {
	p := gated(func(_, prod *promotion.Stage) { prod.Auto, prod.Gates.Soak = true, 30*time.Minute })
	w := pt.NewWorld(p)
	w.Take(pt.Push(pt.SHA("c1")))
	none(t, w, "prod")
	w.LoseStore(p)
	w.Sleep(30*time.Minute - time.Second)
	none(t, w, "prod")
	w.Sleep(time.Second)
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
}

func TestAStreamOfFreightStarvesNoSoak(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {
		prod.Auto, prod.Deliver, prod.Gates.Soak = true, promotion.DeliverCommit, time.Hour
	}))
	before := ""
	for i := range 20 { // a push every ten minutes, each soaking an hour
		sha := pt.SHA(string(rune('a' + i)))
		w.Take(pt.PushOn(before, sha))
		before = sha
		w.Sleep(10 * time.Minute)
	}
	got := 0
	for _, name := range w.Landed {
		if strings.HasPrefix(name, "prod.") {
			got++
		}
	}
	if got != 15 {
		t.Errorf("%d promotions to prod in 200 minutes, want one for each soaked freight", got)
	}
}

func TestNowGoesPastSoakAndNothingElse(t *testing.T) {
	w := pt.NewWorld(gated(func(dev, prod *promotion.Stage) {
		prod.Gates.Soak = time.Hour
		dev.Verify = &promotion.Verify{Checks: []string{"e2e"}}
	}))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod "+pt.SHA("c1")[:8]+" --now --reason haste")
	says(t, w, "prod", promotion.PhaseQueued, "Not yet verified in dev")
	w.Check(w.Landing("dev"), "e2e", "success")
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
}

func TestFreightAskedForTooEarlyLetsEligibleFreightPass(t *testing.T) {
	w := pt.NewWorld(gated(func(dev, prod *promotion.Stage) { dev.Auto, prod.Gates.Soak = false, time.Hour }))
	w.Take(pt.PushOn("", pt.SHA("c1")))
	w.Say("octocat", "/promote dev")
	w.Sleep(time.Hour)
	w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
	w.Say("octocat", "/promote dev")
	w.Say("octocat", "/promote prod "+pt.SHA("c2")[:8])
	says(t, w, "prod", promotion.PhaseQueued, "Soaking until 11:00 UTC")
	w.Say("octocat", "/promote prod "+pt.SHA("c1")[:8])
	if phases := w.Phases("prod"); !slices.Equal(phases, []promotion.Phase{promotion.PhaseQueued, promotion.PhaseWaiting}) {
		t.Errorf("prod %v, want the soaked one to pass", phases)
	}
}

func TestChecksGate(t *testing.T) {
	shape := func(_, prod *promotion.Stage) {
		prod.Auto, prod.Gates.Checks = true, []string{"e2e", "argocd/*"}
	}
	t.Run("no result yet is pending", func(t *testing.T) {
		w := pt.NewWorld(gated(shape))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Say("octocat", "/promote prod "+pt.SHA("c1")[:8])
		says(t, w, "prod", promotion.PhaseQueued, "No result yet of e2e, argocd/*")
		w.Check(w.Landing("dev"), "e2e", "success")
		says(t, w, "prod", promotion.PhaseQueued, "No result yet of argocd/*")
		w.Check(w.Landing("dev"), "argocd/web", "")
		says(t, w, "prod", promotion.PhaseQueued, "Waiting for checks: 1 of 2 green")
		w.Check(w.Landing("dev"), "argocd/web", "neutral")
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
	})
	t.Run("red is closed until a newer run is green", func(t *testing.T) {
		w := pt.NewWorld(gated(shape))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Check(w.Landing("dev"), "argocd/web", "success")
		w.Check(w.Landing("dev"), "e2e", "failure")
		w.Say("octocat", "/promote prod "+pt.SHA("c1")[:8])
		says(t, w, "prod", promotion.PhaseQueued, "Not green: e2e")
		w.Check(w.Landing("dev"), "e2e", "success")
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
	})
	t.Run("a later commit that contains it counts", func(t *testing.T) {
		w := pt.NewWorld(gated(shape))
		w.Take(pt.PushOn("", pt.SHA("c1")))
		landed := w.Landing("dev")
		w.Take(pt.PushOn(pt.SHA("c1"), landed), pt.PushOn(landed, pt.SHA("later")))
		w.Check(pt.SHA("later"), "e2e", "success")
		w.Check(pt.SHA("later"), "argocd/web", "success")
		if len(w.All("prod")) == 0 {
			t.Error("prod got nothing, want the freight that a later commit contains")
		}
	})
	t.Run("a check that ends before the landing is known", func(t *testing.T) {
		w := pt.NewWorld(gated(func(dev, prod *promotion.Stage) {
			dev.Deliver = promotion.DeliverPullRequest
			shape(dev, prod)
		}))
		w.Take(pt.Push(pt.SHA("c1")))
		merge := pt.SHA("merge of " + w.Last("dev").Name)
		w.Check(merge, "e2e", "success")
		w.Check(merge, "argocd/web", "success")
		w.End("dev", "merged")
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
	})
	t.Run("with an empty disk they are read again", func(t *testing.T) {
		p := gated(shape)
		w := pt.NewWorld(p)
		w.Take(pt.Push(pt.SHA("c1")))
		w.Check(w.Landing("dev"), "argocd/web", "success")
		w.Results[w.Landing("dev")] = append(w.Results[w.Landing("dev")], promotion.CheckChanged{Name: "e2e", App: 9, ID: 5, Conclusion: "success"}) // its event is lost
		w.LoseStore(p)
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
	})
}

func TestWindowsHoldStartAndMerge(t *testing.T) {
	windows := []window.Window{{Allow: "Mon-Fri 09:00-17:00"}} // the story starts on Monday at 9
	t.Run("the start of a commit", func(t *testing.T) {
		w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {
			prod.Deliver, prod.Gates.Windows = promotion.DeliverCommit, windows
		}))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Sleep(9 * time.Hour)
		w.Say("octocat", "/promote prod")
		says(t, w, "prod", promotion.PhaseQueued, "Window opens")
		w.Sleep(15*time.Hour - time.Second)
		says(t, w, "prod", promotion.PhaseQueued, "Window opens")
		w.Sleep(time.Second)
		says(t, w, "prod", promotion.PhaseSucceeded, "Landed")
	})
	t.Run("the merge of a pull request", func(t *testing.T) {
		w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Gates.Windows = windows }))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Say("octocat", "/promote prod")
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge: all gates are open")
		w.Sleep(9 * time.Hour)
		says(t, w, "prod", promotion.PhaseWaiting, "Window opens")
		w.End("prod", "merged")
		says(t, w, "prod", promotion.PhaseSucceeded, "Landed in 9 h 0 min, past what was not open: windows")
	})
}

func TestFreeze(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Deliver = promotion.DeliverCommit }))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/freeze prod --for 4h incident 42")
	w.Say("octocat", "/promote prod")
	says(t, w, "prod", promotion.PhaseQueued, "Frozen by octocat until 13:00 UTC: incident 42")
	if reply := w.Replies[len(w.Replies)-1]; !strings.Contains(reply, "frozen by octocat") {
		t.Errorf("the answer is %q, want it to say that it is frozen", reply)
	}
	w.Sleep(4*time.Hour - time.Second)
	says(t, w, "prod", promotion.PhaseQueued, "Frozen")
	w.Sleep(time.Second)
	says(t, w, "prod", promotion.PhaseSucceeded, "Landed")
}

func TestFreezeOfAllAndItsLifting(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {}))
	w.Say("octocat", "/freeze all")
	w.Take(pt.Push(pt.SHA("c1")))
	says(t, w, "dev", promotion.PhaseQueued, "Frozen by octocat")
	w.Say("octocat", "/unfreeze dev")
	says(t, w, "dev", promotion.PhaseQueued, "Frozen by octocat")
	w.Say("octocat", "/unfreeze all")
	says(t, w, "dev", promotion.PhaseSucceeded, "Landed")
}

func TestApprovals(t *testing.T) {
	two := func(deliver promotion.Deliver) *pt.World {
		w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {
			prod.Deliver = deliver
			prod.Gates.Approvals = &promotion.Approvals{Count: 2, Teams: []string{"sre"}, Users: []string{"hubot"}, ExcludeRequester: true}
		}))
		w.Teams = map[string][]string{"sre": {"monalisa", "octocat"}}
		w.Take(pt.Push(pt.SHA("c1")))
		w.Say("octocat", "/promote prod")
		return w
	}
	t.Run("hold the start of a commit", func(t *testing.T) {
		w := two(promotion.DeliverCommit)
		says(t, w, "prod", promotion.PhaseQueued, "Waiting for 2 of 2 approvals")
		w.Say("hubot", "/approve prod")
		says(t, w, "prod", promotion.PhaseQueued, "Waiting for 1 of 2 approvals (hubot approved)")
		w.Say("hubot", "/approve prod") // once more is no second one
		w.Say("octocat", "/approve prod")
		says(t, w, "prod", promotion.PhaseQueued, "Waiting for 1 of 2 approvals (hubot approved)")
		w.Say("monalisa", "/approve prod")
		says(t, w, "prod", promotion.PhaseSucceeded, "Landed")
	})
	t.Run("hold the merge of a pull request and are void with a new commit", func(t *testing.T) {
		w := two(promotion.DeliverPullRequest)
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 2 of 2 approvals")
		w.Say("hubot", "/approve prod")
		w.Say("monalisa", "/approve")
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 1 of 2 approvals")
		w.Say("monalisa", "/approve prod")
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge: all gates are open")
		w.Sleep(time.Minute)
		w.PushTo("prod", "monalisa", pt.SHA("mine"))
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 2 of 2 approvals")
		w.Sleep(time.Minute)
		w.Say("monalisa", "/approve prod") // she pushed to it
		w.Say("hubot", "/approve prod")
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 1 of 2 approvals (hubot approved)")
	})
	t.Run("a reader who is named may, one who is not may not", func(t *testing.T) {
		w := two(promotion.DeliverCommit)
		w.Permission = "read"
		w.Say("hubot", "/approve prod")
		says(t, w, "prod", promotion.PhaseQueued, "Waiting for 1 of 2 approvals (hubot approved)")
		w.Permission = "write"
		w.Say("nobody", "/approve prod")
		says(t, w, "prod", promotion.PhaseQueued, "Waiting for 1 of 2 approvals (hubot approved)")
		if reply := w.Replies[len(w.Replies)-1]; !strings.Contains(reply, "membership in the team `sre` or being `hubot` (you have write)") {
			t.Errorf("the answer is %q, want who may", reply)
		}
	})
	t.Run("a rejection ends it", func(t *testing.T) {
		w := two(promotion.DeliverPullRequest)
		w.Say("hubot", "/reject prod too risky")
		says(t, w, "prod", promotion.PhaseRejected, "Rejected by hubot: too risky")
		if w.Pulls[0].State != "closed" {
			t.Error("its pull request is open still")
		}
	})
}

func review(w *pt.World, state, by, sha string, id int64) {
	w.Take(promotion.Event{Repo: pt.Repo, Cause: state + by + sha, At: w.Now, Body: promotion.Reviewed{
		Number: w.Pulls[0].Number, Review: id, State: state, SHA: sha, By: by, HeadBranch: w.Pulls[0].Branch, SameRepo: true,
	}})
}

func TestReviewsApproveTheCommitTheyLookedAt(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Gates.Approvals = &promotion.Approvals{} }))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod")
	open := func() bool { return strings.HasPrefix(w.Last("prod").Message, "Waiting for merge") }
	review(w, "approved", "monalisa", pt.SHA("an older commit"), 1)
	if open() {
		t.Error("a review of another commit opened the gate")
	}
	review(w, "approved", "monalisa", w.Pulls[0].Head, 2)
	if !open() {
		t.Error("a review of the head did not open the gate")
	}
	review(w, "dismissed", "monalisa", w.Pulls[0].Head, 2)
	if open() {
		t.Error("the gate is open after the review was dismissed")
	}
	review(w, "dismissed", "hubot", w.Pulls[0].Head, 3) // its submission is late
	review(w, "approved", "hubot", w.Pulls[0].Head, 3)
	if open() {
		t.Error("a review that was dismissed already opened the gate")
	}
	review(w, "approved", "hubot", w.Pulls[0].Head, 4)
	w.Sleep(time.Second)
	review(w, "changes_requested", "hubot", w.Pulls[0].Head, 5)
	if open() {
		t.Error("the gate is open although changes were asked for")
	}
}

func TestBlock(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {}))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod")
	w.Say("monalisa", "/block "+pt.SHA("c1")[:8]+" leaks")
	says(t, w, "prod", promotion.PhaseWaiting, "Blocked by monalisa: leaks")
	w.Say("octocat", "/abort prod")
	w.Say("octocat", "/promote prod "+pt.SHA("c1")[:8])
	if got := len(w.All("prod")); got != 1 {
		t.Errorf("%d promotions, want blocked freight refused", got)
	}
	w.Say("monalisa", "/unblock "+pt.SHA("c1")[:8])
	if got := len(w.All("prod")); got != 1 {
		t.Errorf("%d promotions, want nothing to start by itself", got)
	}
	w.Say("octocat", "/promote prod "+pt.SHA("c1")[:8])
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
}

func TestAllow(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Allow = &promotion.Allow{Teams: []string{"sre"}} }))
	w.Teams = map[string][]string{"sre": {"monalisa"}}
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod")
	none(t, w, "prod")
	if reply := w.Replies[len(w.Replies)-1]; !strings.Contains(reply, "that takes membership in the team `sre` (you have write)") {
		t.Errorf("the answer is %q, want who may", reply)
	}
	w.Say("octocat", "/freeze all")
	if w.State.Freeze != nil {
		t.Error("somebody froze a stage to which they may not promote")
	}
	w.Say("monalisa", "/promote prod")
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
}

func TestWordsOfOneCheckRunInTheSameSecond(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Auto, prod.Gates.Checks = true, []string{"e2e"} }))
	w.Take(pt.Push(pt.SHA("c1")))
	for _, conclusion := range []string{"success", ""} { // that it began comes after that it ended
		w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.CheckChanged{SHA: w.Landing("dev"), Name: "e2e", App: 9, ID: 1, Conclusion: conclusion, At: w.Now}})
	}
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
}

func TestTeamsThatCannotBeReadAreNoSilentNo(t *testing.T) {
	p := gated(func(_, prod *promotion.Stage) { prod.Allow = &promotion.Allow{Teams: []string{"sre"}} })
	w := pt.NewWorld(p)
	w.TeamsUnread = "the app may not read teams: it needs the permission members=read"
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod")
	if len(w.Replies) != 1 || !strings.Contains(w.Replies[0], "needs the permission members=read") {
		t.Errorf("the answer is %q, want why teams could not be read", w.Replies)
	}
}

func TestGlobsOfChecksAreWholeNames(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Auto, prod.Gates.Checks = true, []string{"argocd", "e2e/**"} }))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Check(w.Landing("dev"), "argocd/web", "success")
	w.Check(w.Landing("dev"), "e2e/slow/eu", "success")
	none(t, w, "prod")
	w.Check(w.Landing("dev"), "argocd", "success")
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
}
