package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

func push(name string) worker.Delivery {
	return worker.Delivery{GUID: name, Type: "push:" + name, Key: "r1"}
}

// order checks that lines which begin so were said in this order.
func order(t *testing.T, said string, prefixes ...string) {
	t.Helper()
	lines := strings.Split(said, "\n")
	for _, p := range prefixes {
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, p) })
		if i < 0 {
			t.Fatalf("%q does not come in this order:\n%s", p, said)
		}
		lines = lines[i+1:]
	}
}

func TestTheWalkOfOneDelivery(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	f.start(t).Deliver(push("c1"))
	f.until(t, "done c1", 1)
	order(t, f.all(), "read config", "save 1 pending=3", "run adopt", "save", "run step/dev", "record 0", "save", "run step/dev", "record 1", "save", "run step/dev", "record 2", "save", "run check/dev", "ledger", "done c1")
	order(t, f.all(), "ledger", "save", "done c1")
	if n := strings.Count(f.all(), "ledger"); n != 1 {
		t.Errorf("the tracking issue was written %d times in one reconcile", n)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.states[1].Local.Pending) != 0 {
		t.Errorf("still pending: %v", f.states[1].Local.Pending)
	}
}

func TestStagesRunSideBySideWhileNewEventsAreTaken(t *testing.T) {
	f := newFake(pt.Stage("slow", "auto", "commit"), pt.Stage("quick", "auto", "commit"))
	release := make(chan struct{})
	f.run = func(_ context.Context, t promotion.Task) promotion.Result {
		if t.Step != nil && t.Promotion.Stage == "slow" && t.Effect.Step == 0 {
			<-release
		}
		return promotion.Result{}
	}
	w := f.start(t)
	w.Deliver(push("c1"))
	f.until(t, "run check/quick", 1)
	w.Deliver(push("c2")) // while slow still runs its first step
	f.until(t, "run check/quick", 2)
	if strings.Contains(f.all(), "run check/slow") {
		t.Error("slow ended before it was let")
	}
	close(release)
	f.until(t, "done c2", 1)
}

func TestARepositoryWithoutAPipelineCostsOneLook(t *testing.T) {
	f := newFake()
	w := f.start(t)
	w.Deliver(worker.Delivery{GUID: "a", Type: "look", Key: "r1"})
	f.until(t, "done a", 1)
	for _, name := range []string{"c1", "c2"} {
		w.Deliver(push(name))
		f.until(t, "done "+name, 1)
	}
	if n := strings.Count(f.all(), "read config"); n != 1 {
		t.Errorf("%d looks, want 1:\n%s", n, f.all())
	}
	if strings.Contains(f.all(), "save") || strings.Contains(f.all(), "ledger") {
		t.Errorf("it left something behind:\n%s", f.all())
	}
}

func TestWhatCannotBeReadIsSetAsideAndHoldsUpNobody(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	w := f.start(t)
	w.Deliver(worker.Delivery{GUID: "a", Type: "bad", Key: "r1"})
	w.Deliver(push("c1"))
	w.Deliver(worker.Delivery{GUID: "b", Type: "bad", Key: "x"})
	f.until(t, "done c1", 1)
	f.until(t, "aside", 2)
	if !strings.Contains(f.all(), "aside a: not JSON") || strings.Contains(f.all(), "done a") {
		t.Error(f.all())
	}
}

func TestADeliveryComesAgainWhenTheStateCannotBeSaved(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	f.fail(errors.New("disk full"), nil)
	w := f.start(t)
	w.Deliver(push("c1"))
	f.until(t, "retry c1 after 1s: save the state of r1: disk full", 1)
	if strings.Contains(f.all(), "run ") {
		t.Errorf("an effect ran without a saved intent:\n%s", f.all())
	}
	f.fail(nil, nil)
	w.Deliver(push("c1"))
	f.until(t, "done c1", 1)
}

func TestATrackingIssueThatHasToWaitIsWrittenLater(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	f.fail(nil, promotion.RetryAfter(90*time.Second, errors.New("rate limited")))
	w := f.start(t)
	w.Deliver(push("c1"))
	f.until(t, "done c1", 1)
	order(t, f.all(), "ledger refused", "wake r1 in 1m30s", "done c1")
}

func TestAnInterruptedStepIsAdoptedFromItsRecord(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	hang := make(chan struct{})
	f.run = func(ctx context.Context, t promotion.Task) promotion.Result {
		if t.Step == nil || t.Step.Uses != "git-commit" {
			return promotion.Result{}
		}
		select {
		case <-hang:
			return promotion.Result{}
		case <-ctx.Done():
			return promotion.Result{Err: ctx.Err()}
		}
	}
	first := f.start(t)
	first.Deliver(push("c1"))
	f.until(t, "run step/dev", 2)
	if err := first.Stop(gone()); err == nil {
		t.Error("nobody says that something was cut off")
	}
	if strings.Contains(f.all(), "done c1") {
		t.Fatal("a delivery was acknowledged while its effects ran")
	}
	close(hang)
	f.start(t).Deliver(push("c1")) // as the log does after a restart
	f.until(t, "done c1", 1)
	if n := strings.Count(f.all(), "/0\n"); n != 1 {
		t.Errorf("the first step ran %d times:\n%s", n, f.all())
	}
}

func TestAPanicOfARunnerIsAnErrorOfItsEffect(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	f.run = func(_ context.Context, t promotion.Task) promotion.Result {
		if t.Step != nil {
			panic("index out of range")
		}
		return promotion.Result{}
	}
	f.start(t).Deliver(push("c1"))
	f.until(t, "done c1", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.states[1].Pipelines["default"].Promotions[0]; p.Phase != promotion.PhaseErrored || !strings.Contains(p.Message, "a fault of ours: index out of range") {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

func TestAnInstallationIsSpreadOverItsRepositories(t *testing.T) {
	f := newFake()
	w := f.start(t)
	w.Deliver(worker.Delivery{GUID: "a", Type: "look", Key: "i7"})
	f.until(t, "done a", 1)
	order(t, f.all(), "accept a/look/1 stagecoach.look r1 gitops", "done a")
	w.Deliver(worker.Delivery{GUID: "b", Type: "suspend", Key: "i7"})
	f.until(t, "done b", 1)
	order(t, f.all(), "accept b/letgo/1 stagecoach.letgo r1", "accept b/letgo/2 stagecoach.letgo r2", "done b")
}

// A late delivery must not bring an old config back.
func TestTheConfigIsReadAtTheTipWhenAPushIsLate(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	w := f.start(t)
	for _, step := range []struct{ push, at string }{
		{"config:main-c1", "the tip"}, // the first look
		{"config:c1-c2", pt.SHA("c2")},
		{"config:c3-c4", "the tip"}, // c3 is late
		{"config:c2-c3", "the tip"},
	} {
		before := strings.Count(f.all(), "read config")
		w.Deliver(worker.Delivery{GUID: step.push, Type: step.push, Key: "r1"})
		f.until(t, "done "+step.push, 1)
		var reads []string
		for _, line := range strings.Split(f.all(), "\n") {
			if strings.HasPrefix(line, "read config") {
				reads = append(reads, line)
			}
		}
		if got := reads[before:]; len(got) != 1 || got[0] != "read config of gitops at "+step.at {
			t.Errorf("%s: %v, want one read at %s", step.push, got, step.at)
		}
	}
}

func TestPushesThatComeTogetherAreInOrder(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	hold := make(chan struct{})
	f.run = func(_ context.Context, t promotion.Task) promotion.Result {
		if t.Effect.Kind == promotion.KindAdopt {
			<-hold
		}
		return promotion.Result{}
	}
	w := f.start(t)
	w.Deliver(worker.Delivery{GUID: "a", Type: "config:main-c1", Key: "r1"})
	f.until(t, "run adopt", 1)
	for _, push := range []string{"config:c1-c2", "config:c2-c3", "config:c3-c4"} {
		w.Deliver(worker.Delivery{GUID: push, Type: push, Key: "r1"})
	}
	close(hold)
	f.until(t, "done config:c3-c4", 1)
	if n := strings.Count(f.all(), "at the tip"); n != 1 {
		t.Errorf("%d reads at the tip, want the first alone:\n%s", n, f.all())
	}
}

func TestATrackingIssueThatMayNotBeWrittenIsLeftAloneUntilItMay(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	f.fail(nil, &promotion.MissingPermission{Needed: "issues=write", Doing: "write the tracking issue"})
	w := f.start(t)
	for _, name := range []string{"c1", "c2", "c3"} {
		w.Deliver(push(name))
		f.until(t, "done "+name, 1)
	}
	if n := strings.Count(f.all(), "ledger refused"); n != 1 {
		t.Errorf("it was tried %d times although nothing changed", n)
	}
	f.fail(nil, nil)
	w.Deliver(worker.Delivery{GUID: "u", Type: "unblock", Key: "r1"})
	f.until(t, "done u", 1)
	order(t, f.all(), "ledger refused", "ledger", "done u")
}

func TestAnAnswerWaitsUntilTheLedgerHoldsWhatItTellsOf(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	w := f.start(t)
	w.Deliver(push("c1"))
	f.until(t, "done c1", 1)
	f.fail(nil, &promotion.MissingPermission{Needed: "issues=write", Doing: "write the tracking issue"})
	w.Deliver(worker.Delivery{GUID: "q", Type: "comment", Key: "r1"})
	f.until(t, "done q", 1)
	if said := f.all(); strings.Contains(said, "run react/9/-1") || !strings.Contains(said, "run react/9/eyes") {
		t.Errorf("it was answered although the ledger does not hold it:\n%s", said)
	}
	f.fail(nil, nil)
	w.Deliver(worker.Delivery{GUID: "u", Type: "unblock", Key: "r1"})
	f.until(t, "done u", 1)
	order(t, f.all(), "ledger refused", "ledger", "run react/9/-1", "done u")
}

// No event tells that Issues were switched off: GitHub's refusal does, once.
func TestIssuesThatAreOffMoveTheLedger(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	f.fail(nil, promotion.Terminal(promotion.ErrIssuesOff))
	f.start(t).Deliver(push("c1"))
	f.until(t, "done c1", 1)
	order(t, f.all(), "ledger refused", "ledger 2 in a check run", "done c1")
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.states[1]; !s.Repo.NoIssues || s.Local.LedgerCheck.ID != 9 || strings.Count(strings.Join(f.said, "\n"), "ledger") != 2 {
		t.Errorf("%+v, the ledger is at %+v", s.Repo, s.Local.LedgerCheck)
	}
}

// What is under way ends before Stop does, by itself and not cut off; nothing begins after it.
func TestStopLetsEffectsEnd(t *testing.T) {
	f := newFake(pt.Stage("dev", "auto", "commit"))
	release := make(chan struct{})
	f.run = func(ctx context.Context, t promotion.Task) promotion.Result {
		if t.Step == nil || t.Step.Uses != "git-commit" {
			return promotion.Result{}
		}
		<-release
		return promotion.Result{Err: ctx.Err()} // of none, the fake's own result is taken
	}
	w := f.start(t)
	w.Deliver(push("c1"))
	f.until(t, "run step/dev", 2)
	records := strings.Count(f.all(), "record ")
	ended := make(chan error)
	go func() { ended <- w.Stop(context.Background()) }()
	select {
	case <-ended:
		t.Fatal("it ended before what was under way")
	case <-time.After(20 * time.Millisecond):
	}
	w.Deliver(push("c2"))
	close(release)
	if err := <-ended; err != nil {
		t.Errorf("something was cut off: %v", err)
	}
	if got := strings.Count(f.all(), "record "); got != records+1 {
		t.Errorf("what the step gave is not recorded:\n%s", f.all())
	}
	if n := strings.Count(f.all(), "run step/dev"); n != 2 {
		t.Errorf("%d steps began, one of them after the stop:\n%s", n, f.all())
	}
	if strings.Contains(f.all(), "done") {
		t.Errorf("a delivery was acknowledged that is not done:\n%s", f.all())
	}
}
