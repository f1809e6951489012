package promotion_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// What is far back in the queue starts to the second too, when all that is before
// it may not.
func TestTheEleventhOfAQueueStartsWhenItsSoakEnds(t *testing.T) {
	w := pt.NewWorld(gated(func(dev, prod *promotion.Stage) { dev.Auto, prod.Gates.Soak = false, time.Hour }))
	for i := range 11 {
		sha := pt.SHA(fmt.Sprint("c", i))
		w.Take(pt.Push(sha), pt.Comment(int64(10+i), w.Now.Add(time.Duration(i)*time.Second), "/promote prod "+sha[:10]))
	}
	w.Take(pt.Comment(30, w.Now, "/promote dev")) // the newest
	w.Sleep(time.Hour)
	for i, p := range w.All("prod") {
		if p.Phase.Started() != (i == 10) {
			t.Errorf("%s, number %d in the queue, is %s: %s", p.Name, i, p.Phase, p.Message)
		}
	}
}

// A check may be told of before the push of its commit.
func TestGreenChecksOfALaterCommitCountWhenThatIsPushed(t *testing.T) {
	w := pt.NewWorld(gated(verifying("")))
	w.Take(pt.Push(pt.SHA("c1")))
	later := pt.SHA("later")
	w.Check(later, "e2e", "success")
	w.Check(later, "argocd/dev", "success")
	says(t, w, "dev", promotion.PhaseWaiting, "Verifying")
	push := pt.Push(later)
	body := push.Body.(promotion.Pushed)
	body.Commits[0].Paths = []string{"README.md"}
	w.Take(push)
	says(t, w, "dev", promotion.PhaseSucceeded, "Landed in under 1 s, verified")
}

// Where checks may not be read, that is the answer which the end of the time waits for.
func TestVerificationEndsWhenItsChecksMayNotBeRead(t *testing.T) {
	w := pt.NewWorld(gated(verifying("")))
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindChecks {
			return &promotion.MissingPermission{Needed: "checks: read", Doing: "read checks"}
		}
		return nil
	}
	w.Take(pt.Push(pt.SHA("c1")))
	w.Sleep(10*time.Minute + time.Second)
	says(t, w, "dev", promotion.PhaseFailed, "Verification got no answer within 10 min")
}

// … also where another stage was told so before.
func TestVerificationEndsWhenChecksAreKnownNotToBeReadable(t *testing.T) {
	dev, other := pt.Stage("dev", "auto", "commit"), pt.Stage("other", "commit")
	verifying("")(&dev, &other)
	other.Auto, other.Verify = false, &promotion.Verify{Checks: []string{"e2e"}, Timeout: time.Hour}
	w := pt.NewWorld(pt.Pipeline("default", dev, other))
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindChecks {
			return &promotion.MissingPermission{Needed: "checks: read", Doing: "read checks"}
		}
		return nil
	}
	w.Take(pt.Push(pt.SHA("c1")), pt.Comment(1, w.Now, "/promote other"))
	w.Sleep(time.Hour + time.Second)
	says(t, w, "dev", promotion.PhaseFailed, "Verification got no answer")
	says(t, w, "other", promotion.PhaseFailed, "Verification got no answer")
}

// The world holds each decision against a look at everything, and so must find one
// that left something alone.
func TestTheWorldFindsWhatADecisionSkips(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Gates.Soak, prod.Auto = time.Hour, true }))
	w.Take(pt.Push(pt.SHA("c1")))
	d := promotion.Advance(w.State, nil, w.Now)
	if why := pt.Skipped(d, w.Now); why != "" {
		t.Errorf("skips %s", why)
	}
	forgot := *d.State
	forgot.Local.Wakes, d.State = nil, &forgot
	if why := pt.Skipped(d, w.Now); !strings.Contains(why, "wakes") {
		t.Errorf("a lost wake is not found: %q", why)
	}
}
