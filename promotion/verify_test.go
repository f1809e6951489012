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

func verifying(onFailure promotion.OnFailure) func(dev, prod *promotion.Stage) {
	return func(dev, prod *promotion.Stage) {
		dev.Verify = &promotion.Verify{Checks: []string{"argocd/dev", "e2e"}, Timeout: 10 * time.Minute, OnFailure: onFailure}
		prod.Auto, prod.Deliver = true, promotion.DeliverCommit
	}
}

func TestVerificationHoldsTheStageUntilItEnds(t *testing.T) {
	w := pt.NewWorld(gated(verifying("")))
	w.Take(pt.Push(pt.SHA("c1")))
	says(t, w, "dev", promotion.PhaseWaiting, "Verifying: 0 of 2 checks green")
	w.Sleep(time.Second)
	w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
	if phases := w.Phases("dev"); !slices.Equal(phases, []promotion.Phase{promotion.PhaseWaiting, promotion.PhaseQueued}) {
		t.Errorf("dev %v, want the stage taken until verification ends", phases)
	}
	w.Check(w.Landing("dev"), "e2e", "success")
	w.Check(w.Landing("dev"), "argocd/dev", "success")
	if p := w.All("dev")[0]; p.Phase != promotion.PhaseSucceeded || !strings.Contains(p.Message, "verified") {
		t.Errorf("the first is %s: %q", p.Phase, p.Message)
	}
	says(t, w, "prod", promotion.PhaseSucceeded, "Landed")
	says(t, w, "dev", promotion.PhaseWaiting, "Verifying")
}

func TestRedVerification(t *testing.T) {
	t.Run("hold", func(t *testing.T) {
		w := pt.NewWorld(gated(verifying(promotion.OnFailureHold)))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Check(w.Landing("dev"), "e2e", "failure")
		says(t, w, "dev", promotion.PhaseFailed, "Verification said no: e2e")
		none(t, w, "prod")
		if !w.State.Pipelines["default"].Stages["dev"].Health.Bad {
			t.Error("dev is healthy")
		}
		w.Check(w.Landing("dev"), "argocd/dev", "success")
		w.Check(w.Landing("dev"), "e2e", "success") // it was flaky
		says(t, w, "prod", promotion.PhaseSucceeded, "Landed")
	})
	t.Run("ignore", func(t *testing.T) {
		w := pt.NewWorld(gated(verifying(promotion.OnFailureIgnore)))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Check(w.Landing("dev"), "e2e", "failure")
		says(t, w, "dev", promotion.PhaseSucceeded, "Landed in under 1 s. Verification said no: e2e, which is ignored here")
		says(t, w, "prod", promotion.PhaseSucceeded, "Landed")
	})
	t.Run("rollback", func(t *testing.T) {
		w := pt.NewWorld(gated(verifying(promotion.OnFailureRollback)))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Check(w.Landing("dev"), "e2e", "success")
		w.Check(w.Landing("dev"), "argocd/dev", "success")
		first := w.Last("dev").Freight
		w.Sleep(time.Minute)
		w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
		w.Check(w.Landing("dev"), "e2e", "failure")
		all := w.All("dev")
		back := all[len(all)-1]
		if len(all) != 3 || back.Freight != first || back.Priority != promotion.PriorityRollback || back.Landed == "" {
			t.Fatalf("dev %v, last %+v, want a rollback to the first", w.Phases("dev"), back)
		}
		w.Take(pt.PushOn(pt.SHA("c2"), pt.SHA("c3")))
		if got := len(w.All("dev")); got != 3 {
			t.Errorf("%d promotions to dev, want it paused", got)
		}
		w.Say("octocat", "/resume dev")
		w.Check(w.Landing("dev"), "e2e", "success")
		w.Check(w.Landing("dev"), "argocd/dev", "success")
		if got := len(w.All("dev")); got != 4 {
			t.Errorf("%d promotions to dev after /resume, want the newest to go on", got)
		}
	})
}

func TestSilentVerificationIsAskedOnceMoreAndThenFails(t *testing.T) {
	w := pt.NewWorld(gated(verifying("")))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Sleep(10*time.Minute - time.Second)
	says(t, w, "dev", promotion.PhaseWaiting, "Verifying")
	w.Sleep(time.Second)
	says(t, w, "dev", promotion.PhaseFailed, "Verification got no answer within 10 min: argocd/dev, e2e")

	w = pt.NewWorld(gated(verifying("")))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Results = map[string][]promotion.CheckChanged{w.Landing("dev"): {{Name: "e2e", ID: 1, Conclusion: "success"}, {Name: "argocd/dev", ID: 2, Conclusion: "success"}}}
	w.Sleep(10 * time.Minute) // the events were lost
	says(t, w, "dev", promotion.PhaseSucceeded, "Landed in under 1 s, verified")
}

func TestALaterRedCheckClosesTheGateDownstream(t *testing.T) {
	w := pt.NewWorld(gated(func(dev, prod *promotion.Stage) { verifying("")(dev, prod); prod.Auto = false }))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Check(w.Landing("dev"), "e2e", "success")
	w.Check(w.Landing("dev"), "argocd/dev", "success")
	w.Check(w.Landing("dev"), "argocd/dev", "failure")
	w.Say("octocat", "/promote prod "+pt.SHA("c1")[:8])
	says(t, w, "prod", promotion.PhaseQueued, "Not yet verified in dev")
	w.Check(w.Landing("dev"), "argocd/dev", "success")
	says(t, w, "prod", promotion.PhaseSucceeded, "Landed")
}

func TestRollback(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Auto, prod.Deliver = true, promotion.DeliverCommit }))
	before := ""
	for _, c := range []string{"c1", "c2", "c3"} {
		w.Take(pt.PushOn(before, pt.SHA(c)))
		before = pt.SHA(c)
		w.Sleep(time.Minute)
	}
	holds := func(stage string) string {
		st := w.State.Pipelines["default"].Stages[stage]
		a, _ := w.State.FreightByID("default", st.Current.Freight).Artifact("app")
		return a.Commit
	}
	w.Say("octocat", "/freeze prod")
	w.Say("octocat", "/rollback prod") // it goes past a freeze
	if holds("prod") != pt.SHA("c2") {
		t.Fatal("prod does not hold what it held before")
	}
	w.Say("octocat", "/unfreeze prod")
	w.Sleep(time.Minute)
	w.Say("octocat", "/rollback prod")
	if holds("prod") != pt.SHA("c1") {
		t.Error("a second rollback does not go back further: c3 is not verified any more")
	}
	w.Take(pt.PushOn(before, pt.SHA("c4")))
	if holds("prod") != pt.SHA("c1") {
		t.Error("newer freight undid the rollback")
	}
	w.Say("octocat", "/resume prod")
	if holds("prod") != pt.SHA("c4") {
		t.Error("after /resume the newest does not go on")
	}
}

func TestAStageWithNothingToChangeLetsNobodyOvertake(t *testing.T) {
	staging := pt.Stage("staging", "auto", "commit", "after:dev")
	prod := pt.Stage("prod", "auto", "commit", "after:staging")
	dev := pt.Stage("dev", "auto", "commit")
	dev.Verify = &promotion.Verify{Checks: []string{"e2e"}}
	w := pt.NewWorld(pt.Pipeline("default", dev, staging, prod))
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/rollback staging "+pt.SHA("c1")[:8]) // past eligibility
	says(t, w, "staging", promotion.PhaseSucceeded, "Landed in under 1 s")
	w.Check(w.Landing("dev"), "e2e", "failure")
	none(t, w, "prod") // staging holds it, but dev said no
	w.Check(w.Landing("dev"), "e2e", "success")
	says(t, w, "prod", promotion.PhaseSucceeded, "Landed")
}

func TestTimeouts(t *testing.T) {
	t.Run("of the whole promotion", func(t *testing.T) {
		p := gated(func(_, prod *promotion.Stage) { prod.Timeout = 72 * time.Hour })
		w := pt.NewWorld(p)
		w.Take(pt.Push(pt.SHA("c1")))
		w.Say("octocat", "/promote prod")
		w.LoseStore(p)
		w.Sleep(72*time.Hour - time.Second)
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
		w.Sleep(time.Second)
		says(t, w, "prod", promotion.PhaseErrored, "Timed out: it did not end within 3 d of its start")
		if w.Pulls[0].State != "closed" {
			t.Error("its pull request is open still")
		}
	})
	t.Run("of a step that errors", func(t *testing.T) {
		w := pt.NewWorld(gated(func(dev, _ *promotion.Stage) { dev.Steps[0].Retry.Timeout = 5 * time.Minute }))
		w.StepResult = func(promotion.Effect) promotion.Result { return promotion.Result{Err: pt.ErrLost} }
		w.Take(pt.Push(pt.SHA("c1")))
		w.Sleep(5*time.Minute - time.Second)
		if p := w.Last("dev"); p.Phase.Terminal() {
			t.Fatalf("it is %s: %s", p.Phase, p.Message)
		}
		w.Sleep(time.Second)
		says(t, w, "dev", promotion.PhaseErrored, "Errored at step 1 of 3 (yaml-update): It did not end within 5 min; last error: connection reset")
	})
	t.Run("of waiting for a pull request", func(t *testing.T) {
		w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {
			prod.Deliver = promotion.DeliverNone
			prod.Steps = append(prod.Steps, promotion.Step{Uses: "git-commit"}, promotion.Step{Uses: "git-push"}, promotion.Step{Uses: "git-open-pr"},
				promotion.Step{Uses: "git-wait-for-pr", Retry: promotion.Retry{Timeout: time.Hour}})
		}))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Say("octocat", "/promote prod")
		w.Sleep(time.Hour)
		says(t, w, "prod", promotion.PhaseErrored, "Errored at step 5 of 5 (git-wait-for-pr): It did not end within 1 h")
	})
}

func TestSupersedeOpen(t *testing.T) {
	open := func() *pt.World {
		w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Auto, prod.Supersede = true, promotion.SupersedeOpen }))
		w.Take(pt.PushOn("", pt.SHA("c1")))
		w.Sleep(time.Minute)
		return w
	}
	w := open()
	w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
	all := w.All("prod")
	if len(all) != 2 || all[0].Phase != promotion.PhaseSuperseded || all[1].Phase != promotion.PhaseWaiting || w.Pulls[0].State != "closed" {
		t.Fatalf("prod %v, want the newer one's pull request in the older one's place", w.Phases("prod"))
	}
	if !strings.Contains(all[0].Message, all[1].Name) || !slices.Contains(all[1].Supersedes, all[0].Name) {
		t.Errorf("not said on both: %q and %v", all[0].Message, all[1].Supersedes)
	}
	w = open()
	w.PushTo("prod", "monalisa", pt.SHA("mine"))
	w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
	if phases := w.Phases("prod"); !slices.Equal(phases, []promotion.Phase{promotion.PhaseWaiting, promotion.PhaseQueued}) {
		t.Errorf("prod %v, want the one with a person's commits kept", phases)
	}
}

func TestMergeByTheApp(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {
		prod.PullRequest.Merge = promotion.MergeAuto
		prod.Gates.Approvals = &promotion.Approvals{}
	}))
	allowed := false
	w.MayMerge = func() bool { return allowed }
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod")
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 1 of 1 approval")
	w.Say("monalisa", "/approve prod")
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for GitHub's required checks")
	ran := len(w.Ran)
	w.Sleep(24 * time.Hour)
	if len(w.Ran) != ran {
		t.Error("waiting cost something")
	}
	w.Say("octocat", "/freeze prod")
	allowed = true
	w.Check(w.Pulls[0].Head, "build", "success")
	says(t, w, "prod", promotion.PhaseWaiting, "Frozen")
	w.Say("octocat", "/unfreeze prod")
	says(t, w, "prod", promotion.PhaseSucceeded, "Landed")
}

// GitHub calls a check run stale that is in progress for 14 days.
func TestALongVerificationIsNotLeftInProgress(t *testing.T) {
	w := pt.NewWorld(gated(func(dev, prod *promotion.Stage) {
		dev.Verify = &promotion.Verify{Checks: []string{"e2e"}, Timeout: 30 * 24 * time.Hour}
	}))
	var written []string
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindCheck {
			written = append(written, fmt.Sprintf("day %d: %q running=%v", int(w.Now.Sub(pt.Start).Hours()/24), e.Check.Conclusion, e.Check.Running))
		}
		return nil
	}
	w.Take(pt.Push(pt.SHA("c1")))
	sha := w.Landing("dev")
	w.Sleep(20 * 24 * time.Hour)
	w.Check(sha, "e2e", "success")
	want := []string{`day 0: "" running=true`, `day 13: "neutral" running=false`, `day 20: "success" running=false`}
	if written = slices.Compact(written); !slices.Equal(written, want) {
		t.Errorf("check runs %q, want %q", written, want)
	}
	if w.Checks[w.All("dev")[0].Name+"@"+sha] != 1 {
		t.Errorf("check runs %v", w.Checks)
	}
}
