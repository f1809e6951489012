package promotion_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// landings lets n changes land in dev, one after the other, and returns their names.
func landings(w *pt.World, from, n int) []string {
	var names []string
	for i := range n {
		w.Take(pt.Push(pt.SHA(fmt.Sprint("c", from+i))))
		all := w.State.Pipelines["default"].Promotions
		names = append(names, all[len(all)-1].Name)
		w.Now = w.Now.Add(time.Hour)
	}
	return names
}

func oneStage() *pt.World {
	return pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
}

func TestWhatEndedLongAgoGoesIntoComments(t *testing.T) {
	w := oneStage()
	names := landings(w, 0, 19)
	if len(w.History) != 0 || len(w.All("dev")) != 19 {
		t.Fatalf("of 19 there are %d, and comments %q", len(w.All("dev")), w.History)
	}
	names = append(names, landings(w, 19, 16)...)
	want := []string{strings.Join(names[:10], " "), strings.Join(names[10:20], " ")}
	if !slices.Equal(w.History, want) {
		t.Errorf("comments of %q, want %q", w.History, want)
	}
	var kept []string
	for _, p := range w.All("dev") {
		kept = append(kept, p.Name)
	}
	if !slices.Equal(kept, names[20:]) {
		t.Errorf("kept %d, want the last %d", len(kept), len(names)-20)
	}
}

// Nothing is forgotten before it stands in a comment, and it stands in one.
func TestHistoryIsWrittenOnce(t *testing.T) {
	for name, fault := range map[string]pt.Fault{"answer lost": pt.AnswerLost, "crash": pt.Crash, "crash first": pt.CrashFirst, "not done": pt.NotDone} {
		t.Run(name, func(t *testing.T) {
			w := oneStage()
			struck := false
			w.Fault = func(e promotion.Effect) pt.Fault {
				if e.Kind != promotion.KindHistory || struck {
					return pt.Well
				}
				struck = true
				return fault
			}
			names := landings(w, 0, 20)
			for range 3 {
				w.Now = w.Now.Add(time.Minute)
				w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Woke{}})
			}
			if want := []string{strings.Join(names[:10], " ")}; !struck || !slices.Equal(w.History, want) || len(w.All("dev")) != 10 {
				t.Errorf("comments of %q, want %q; %d are kept", w.History, want, len(w.All("dev")))
			}
		})
	}
}

// A lost disk leaves a ledger from before the comment was written.
func TestHistoryIsLookedForAfterALostDisk(t *testing.T) {
	w := oneStage()
	landings(w, 0, 19)
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindHistory }
	landings(w, 19, 1)
	w.Hold = nil
	old := *w.State
	old.Local = promotion.Local{}
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Woke{}})
	before := slices.Clone(w.History)
	w.State = &old
	w.Take(pt.Config(pt.Pipeline("default", pt.Stage("dev", "auto", "commit"))), promotion.Rebuilt{})
	w.Sleep(time.Minute)
	if len(before) != 1 || !slices.Equal(w.History, before) {
		t.Errorf("comments of %q, before the disk was lost %q", w.History, before)
	}
}

func TestHistoryThatCannotBeWrittenDoesNotPileUp(t *testing.T) {
	w := oneStage()
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindHistory }
	landings(w, 0, 70)
	if n := len(w.All("dev")); n != 50 {
		t.Errorf("%d ended ones are kept, want 50", n)
	}
	w = oneStage()
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindHistory {
			return promotion.Terminal(errors.New("the issue is locked"))
		}
		return nil
	}
	landings(w, 0, 20)
	if n := len(w.All("dev")); n != 10 || len(w.State.Problems) != 0 {
		t.Errorf("%d are kept, problems %v", n, w.State.Problems)
	}
}

// Without a tracking issue the check runs are what remains.
func TestWithoutIssuesThereIsNoHistory(t *testing.T) {
	w := oneStage()
	w.State.Repo.NoIssues = true
	for i := range 25 {
		push := pt.Push(pt.SHA(fmt.Sprint("c", i)))
		push.Repo.NoIssues = true
		w.Take(push)
	}
	if n := len(w.All("dev")); n != 10 || len(w.History) != 0 {
		t.Errorf("%d are kept, comments of %q", n, w.History)
	}
}

// A look for the comment of an earlier life begins where the promotions ended, not when
// this life asked: the comment may be days old.
func TestHistoryIsLookedForFromWhenItEnded(t *testing.T) {
	w := oneStage()
	var sent, ended time.Time
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindHistory {
			sent, ended = e.SentAt, w.State.Promotion(e.Names[len(e.Names)-1]).EndedAt
		}
		return nil
	}
	landings(w, 0, 20)
	if ended.IsZero() || !sent.Equal(ended) || !sent.Before(w.Now.Add(-time.Hour)) {
		t.Errorf("it is looked for from %s, and they ended at %s", sent, ended)
	}
}
