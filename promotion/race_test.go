package promotion_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// racing is a world in which the base moves under every merge, until w.Refuse is nil.
func racing(t *testing.T) (w *pt.World, tries *int) {
	t.Helper()
	w = waitingPull(t, mergingStage)
	n := 0
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind != promotion.KindStep || e.Step != 4 {
			return nil
		}
		n++
		return fmt.Errorf("main moved while #100 was merged: %w", promotion.ErrRaced)
	}
	w.Now = w.Now.Add(time.Minute)
	w.Say("octocat", "/approve prod")
	return w, &n
}

// A base that moves under each merge is met with growing pauses, a bounded number of
// times; it is told, and never a failure.
func TestTheBaseMovesUnderEachMerge(t *testing.T) {
	w, tries := racing(t)
	if *tries != 1 {
		t.Fatalf("%d tries at once", *tries)
	}
	var pauses []time.Duration
	for last := w.Now; !w.Wake.IsZero() && w.Wake.Sub(w.Now) < 10*time.Minute && len(pauses) < 20; {
		w.Sleep(w.Wake.Sub(w.Now))
		pauses, last = append(pauses, w.Now.Sub(last)), w.Now
	}
	if len(pauses) != *tries-1 {
		t.Errorf("%d pauses, %d tries", len(pauses), *tries)
	}
	for i := 1; i < len(pauses); i++ {
		if pauses[i] < pauses[i-1] {
			t.Errorf("the pauses are %v", pauses)
		}
	}
	p := w.Last("prod")
	if len(pauses) != 8 || p.Phase != promotion.PhaseWaiting || !strings.Contains(p.Message, "9 times in a row") {
		t.Errorf("%v, %s: %s", pauses, p.Phase, p.Message)
	}
	w.Sleep(5 * time.Hour)
	if *tries != 9 {
		t.Errorf("%d tries, although nothing happened", *tries)
	}
}

// What has it tried again: the base moves, a check says yes. It then has all its tries
// again, and merges when one of them goes through.
func TestTriedAgainAfterRaces(t *testing.T) {
	for name, happens := range map[string]func(*pt.World){
		"the base moves": func(w *pt.World) { w.TouchBase("octocat", "docs/other.md") },
		"the base moves unseen": func(w *pt.World) {
			tip := pt.SHA(w.Now.String())
			w.Take(promotion.ConfigRead{SHA: tip, Branch: "main", Pipelines: w.State.Local.Config, Tips: map[string]string{"main": tip}})
		},
		"a check": func(w *pt.World) { w.Check(w.Last("prod").PullRequest.Head, "ci", "success") },
		"a review": func(w *pt.World) {
			w.Take(promotion.Event{Repo: pt.Repo, At: w.Now, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
		},
	} {
		w, tries := racing(t)
		w.Sleep(time.Hour)
		*tries = 0
		happens(w)
		w.Sleep(time.Hour)
		if *tries != 9 {
			t.Errorf("%s: %d tries", name, *tries)
		}
		w.Refuse = nil
		happens(w)
		if p := w.Last("prod"); p.Phase != promotion.PhaseSucceeded {
			t.Errorf("%s: %s: %s", name, p.Phase, p.Message)
		}
	}
}

// A branch that another stage's pull request goes to is another one's business.
func TestRacesAreOfOneBranch(t *testing.T) {
	w, tries := racing(t)
	w.Sleep(time.Hour)
	*tries = 0
	w.Take(promotion.Event{Repo: pt.Repo, At: w.Now, Body: promotion.Pushed{Branch: "other", After: pt.SHA("x"), Complete: true}})
	w.Sleep(time.Hour)
	if *tries != 0 {
		t.Errorf("%d tries", *tries)
	}
}
