package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// restarted is a fake whose store holds what an earlier process saved.
func restarted(t *testing.T) *fake {
	t.Helper()
	f := newFake(pt.Stage("dev", "auto", "commit"))
	w := f.start(t)
	w.Deliver(push("c1"))
	f.until(t, "done c1", 1)
	_ = w.Stop(t.Context())
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = nil
	return f
}

// onGitHub is a record with a freeze, some revisions after what is stored.
func (f *fake) onGitHub(revision int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	newer := *f.states[1]
	newer.Local = promotion.Local{}
	newer.Revision, newer.Freeze = revision, &promotion.Mark{By: "octocat", Reason: "an audit"}
	f.newer = &newer
}

func (f *fake) state() promotion.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return *f.states[1]
}

// The store is compared once in a process's life, whatever comes.
func TestTheStoreIsComparedOnce(t *testing.T) {
	f := restarted(t)
	w := f.start(t)
	for _, name := range []string{"c2", "c3"} {
		w.Deliver(push(name))
		f.until(t, "done "+name, 1)
	}
	if n := strings.Count(f.all(), "compare"); n != 1 {
		t.Errorf("compared %d times:\n%s", n, f.all())
	}
	order(t, f.all(), "compare 1", "save", "run step/dev")
	fresh := newFake(pt.Stage("dev", "auto", "commit"))
	fresh.start(t).Deliver(push("c1"))
	fresh.until(t, "done c1", 1)
	if strings.Contains(fresh.all(), "compare") {
		t.Errorf("what came from GitHub was compared with GitHub:\n%s", fresh.all())
	}
}

func TestARecordOfTheSameRevisionIsNotNewer(t *testing.T) {
	f := restarted(t)
	f.onGitHub(f.state().Revision)
	f.start(t).Deliver(push("c2"))
	f.until(t, "done c2", 1)
	if f.state().Freeze != nil || strings.Contains(f.all(), "outdated") {
		t.Errorf("it was taken:\n%s", f.all())
	}
}

// A newer record counts from the first event on: nothing is decided on the older state.
func TestANewerRecordIsTakenForTheStore(t *testing.T) {
	f := restarted(t)
	f.onGitHub(f.state().Revision + 5)
	f.start(t).Deliver(push("c2"))
	f.until(t, "done c2", 1)
	order(t, f.all(), "compare", "read config of gitops at the tip", "outdated", "save", "forget dev.", "run adopt", "done c2")
	s := f.state()
	if s.Freeze == nil || s.Revision < 6 || s.Local.Rebuilt.IsZero() {
		t.Errorf("freeze %v, revision %d, rebuilt %s", s.Freeze, s.Revision, s.Local.Rebuilt)
	}
	if strings.Contains(f.all(), "run step/") {
		t.Errorf("something was promoted in spite of the freeze:\n%s", f.all())
	}
}

// What cannot be read is unknown: the event comes again, and nothing is decided.
func TestWithoutTheComparisonNothingIsDecided(t *testing.T) {
	f := restarted(t)
	f.newerErr = errors.New("GitHub does not answer")
	w := f.start(t)
	w.Deliver(push("c2"))
	f.until(t, "retry c2", 1)
	if strings.Contains(f.all(), "save") || strings.Contains(f.all(), "run ") {
		t.Errorf("it was decided:\n%s", f.all())
	}
	f.mu.Lock()
	f.newerErr = nil
	f.mu.Unlock()
	w.Deliver(push("c2"))
	f.until(t, "done c2", 1)
	order(t, f.all(), "compare", "retry c2", "compare", "save", "done c2")
}

// Without the permission to read the record the promotions go on, and the record is not
// written before it was read.
func TestARecordThatMayNotBeReadIsNotOverwritten(t *testing.T) {
	f := restarted(t)
	f.onGitHub(f.state().Revision + 5)
	f.newerErr = &promotion.MissingPermission{Needed: "issues=read", Doing: "read the tracking issue"}
	w := f.start(t)
	w.Deliver(push("c2"))
	f.until(t, "done c2", 1)
	if !strings.Contains(f.all(), "run step/dev") || strings.Contains(f.all(), "ledger") {
		t.Errorf("it should go on, and write no record:\n%s", f.all())
	}
	f.mu.Lock()
	f.newerErr = nil
	f.mu.Unlock()
	w.Deliver(worker.Delivery{GUID: "u", Type: "unblock", Key: "r1"})
	f.until(t, "done u", 1)
	if f.state().Freeze == nil {
		t.Errorf("the newer record was overwritten:\n%s", f.all())
	}
}

// The record may be written at the end of a round in which it could be read again.
func TestANewerRecordIsTakenBeforeItWouldBeOverwritten(t *testing.T) {
	f := restarted(t)
	f.onGitHub(f.state().Revision + 5)
	f.newerErr = &promotion.MissingPermission{Needed: "issues=read", Doing: "read the tracking issue"}
	f.run = func(_ context.Context, task promotion.Task) promotion.Result {
		if task.Effect.Kind == promotion.KindStep {
			f.mu.Lock()
			f.newerErr = nil
			f.mu.Unlock()
		}
		return promotion.Result{}
	}
	f.start(t).Deliver(push("c2"))
	f.until(t, "done c2", 1)
	order(t, f.all(), "compare", "run step/dev", "compare", "compare", "outdated", "done c2")
	if f.state().Freeze == nil {
		t.Errorf("the newer record was overwritten:\n%s", f.all())
	}
}

// A repository that is not worked on is not asked about.
func TestWhatRestsIsNotCompared(t *testing.T) {
	f := restarted(t)
	w := f.start(t)
	w.Deliver(worker.Delivery{GUID: "g", Type: "letgo", Key: "r1"})
	f.until(t, "done g", 1)
	w.Deliver(worker.Delivery{GUID: "q", Type: "wake", Key: "r1"})
	f.until(t, "done q", 1)
	if strings.Contains(f.all(), "compare") {
		t.Errorf("it was compared:\n%s", f.all())
	}
	w.Deliver(worker.Delivery{GUID: "l", Type: "look", Key: "r1"})
	f.until(t, "done l", 1)
	order(t, f.all(), "done q", "compare", "done l")
}
