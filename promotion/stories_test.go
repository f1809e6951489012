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

// Twenty promotions, all queued at once, run one by one, the earliest first, also
// when every one of them fails: each starts in the reconcile in which the one
// before it ended.
func TestTwentyPromotionsQueuedAtOnceEachFailing(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "commit")))
	w.StepResult = func(promotion.Effect) promotion.Result {
		return promotion.Result{Phase: promotion.StepFailed, Message: "there is no such key"}
	}
	before := ""
	for i := range 20 {
		sha := pt.SHA(fmt.Sprint("c", i))
		w.Take(pt.PushOn(before, sha))
		before = sha
	}
	var lines []string
	for i := range 20 {
		lines = append(lines, "/promote prod "+pt.SHA(fmt.Sprint("c", i))[:10])
	}
	var started []string
	running := 0
	w.OnAdvance = func(_, after *promotion.State) {
		now := 0
		for _, p := range after.Pipelines["default"].Promotions {
			if p.Phase.Started() {
				now++
				if !slices.Contains(started, p.Name) {
					started = append(started, p.Name)
				}
			}
		}
		running = max(running, now)
	}
	w.Take(pt.Comment(1, w.Now, lines...))
	if len(started) != 20 || !slices.IsSorted(started) || running != 1 {
		t.Errorf("%d started, in order: %t, at most %d at once; want 20, in order, one at a time", len(started), slices.IsSorted(started), running)
	}
	for _, p := range w.All("prod") {
		if p.Phase != promotion.PhaseFailed {
			t.Errorf("%s is %s: %s", p.Name, p.Phase, p.Message)
		}
	}
	if !w.Wake.IsZero() {
		t.Errorf("it wakes at %s, want nothing left to poll for", w.Wake)
	}
}

// A pull request is open for three days, with five restarts and forty unrelated
// pushes: all of it costs nothing, and then it is merged and lands.
func TestAPullRequestThatIsOpenForThreeDays(t *testing.T) {
	p := pt.Pipeline("default", pt.Stage("prod"))
	w := pt.NewWorld(p)
	w.Tip = pt.SHA("c1")
	w.Take(pt.Push(w.Tip))
	w.Say("octocat", "/promote prod")
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge")
	spent := func() string { return fmt.Sprint(w.Ran, w.Checks, w.Reactions, len(w.Replies), len(w.Pulls)) }
	before := spent()
	for hour := range 72 {
		w.Sleep(time.Hour)
		if hour%14 == 7 {
			w.Restart()
		}
		for range 40*(hour+1)/72 - 40*hour/72 {
			sha := pt.SHA(fmt.Sprint("docs", hour))
			push := pt.PushOn(w.Tip, sha)
			body := push.Body.(promotion.Pushed)
			body.Commits[0].Paths = []string{"docs/README.md"}
			w.Tip = sha
			w.Take(push)
		}
		if !w.Wake.IsZero() {
			t.Fatalf("it wakes at %s for nothing", w.Wake)
		}
	}
	if after := spent(); after != before {
		t.Errorf("waiting cost something: %s became %s", before, after)
	}
	w.End("prod", "merged")
	says(t, w, "prod", promotion.PhaseSucceeded, "Landed in 3 d")
	if got := strings.Count(fmt.Sprint(w.Phases("prod")), "succeeded"); got != 1 || len(w.Pulls) != 1 {
		t.Errorf("%d promotions and %d pull requests, want one of each", got, len(w.Pulls))
	}
}
