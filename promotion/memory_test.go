package promotion_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// A year of work leaves no more behind than a month.
func TestTheStateStaysSmall(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "auto", "commit", "after:dev"), pt.Stage("held", "after:dev")))
	w.Take(pt.Push(pt.SHA("held")))
	w.Take(pt.Comment(1, w.Now, "/promote held"))
	held := w.All("held")[0].Freight
	for i := range 60 {
		w.Take(pt.Push(pt.SHA(fmt.Sprint("c", i))), pt.Comment(int64(100+i), w.Now, "/status"))
		w.Sleep(24 * time.Hour)
	}
	ps := w.State.Pipelines["default"]
	if len(ps.Freight) > 32 || w.State.FreightByID("default", held) == nil {
		t.Errorf("%d pieces of freight; the one in use is there: %v", len(ps.Freight), w.State.FreightByID("default", held) != nil)
	}
	if len(ps.Promotions) > 20 || len(w.All("held")) != 1 {
		t.Errorf("%d promotions, %d of them live", len(ps.Promotions), len(w.All("held")))
	}
	if dev := ps.Stages["dev"]; len(dev.Verified) > 32 || len(dev.Tried) > 32 {
		t.Errorf("dev remembers %d verified and %d tried", len(dev.Verified), len(dev.Tried))
	}
	if n := len(w.State.Comments); n > 9 {
		t.Errorf("%d comments after 60 days", n)
	}
	for i := range 250 {
		w.Take(pt.Comment(int64(1000+i), w.Now, "/status"))
	}
	if n := len(w.State.Comments); n != 200 {
		t.Errorf("%d comments of one day, want 200", n)
	}
	w.Take(pt.Comment(1249, w.Now, "/status")) // once more
	if w.Reactions["1249 +1"] != 1 || len(w.Replies) != 60+250 {
		t.Errorf("%d replies", len(w.Replies))
	}
}

func TestWhatConcernsNothingCostsNothing(t *testing.T) {
	pull := func(base, head string, same bool) promotion.Event {
		return promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 7, Action: "opened", HeadBranch: head, HeadSHA: pt.SHA(head), Base: base, SameRepo: same}}
	}
	elsewhere := pt.Comment(3, pt.Start, "/promote dev")
	body := elsewhere.Body.(promotion.Commented)
	body.Number = 55
	elsewhere.Body = body
	other := pt.Push(pt.SHA("c2"))
	other.Repo = promotion.Repo{ID: 2, Owner: "acme", Name: "other", DefaultBranch: "trunk"}
	feature := pt.Push(pt.SHA("c3"))
	pushed := feature.Body.(promotion.Pushed)
	pushed.Branch = "feature"
	feature.Body = pushed
	for name, in := range map[string]promotion.Input{
		"one to another branch":      pull("next", "fork", false),
		"a comment on another issue": elsewhere,
		"a push to another branch":   feature,
		"another app's check":        promotion.Event{Repo: pt.Repo, Body: promotion.CheckChanged{SHA: pt.SHA("c1"), Name: "e2e", Conclusion: "success"}},
		"an issue":                   promotion.Event{Repo: pt.Repo, Body: promotion.LedgerTouched{Number: 55, Action: "closed"}},
		"a wake":                     promotion.Event{Repo: pt.Repo, Body: promotion.Woke{}},
	} {
		w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev")))
		w.Take(pt.Push(pt.SHA("c1")))
		d := promotion.Advance(w.State, []promotion.Input{in}, w.Now)
		if len(d.Effects) != 0 || !d.Wake.IsZero() || d.State.Local.Suspect {
			t.Errorf("%s: effects %+v, wake %s", name, d.Effects, d.Wake)
		}
	}
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev")))
	w.Take(other)
	if w.State.Repo.FullName() != pt.Repo.FullName() {
		t.Errorf("it is called %s now", w.State.Repo.FullName())
	}
}

func TestAButtonPressedOnceIsOneCommand(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "after:dev")))
	w.Take(pt.Push(pt.SHA("c1")))
	press := promotion.Event{Repo: pt.Repo, Cause: "guid", At: w.Now, Body: promotion.Pressed{Promotion: w.All("dev")[0].Name, Action: "promote", By: "OctoCat"}}
	for range 3 {
		w.Take(press)
	}
	if len(w.State.Comments) != 1 || !w.State.Comments[0].Done || len(w.All("prod")) != 1 {
		t.Errorf("%d commands, %d promotions to prod", len(w.State.Comments), len(w.All("prod")))
	}
}

func TestStagesThatAreGoneAreForgottenInTheEnd(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	w.Take(pt.Push(pt.SHA("c1")))
	for i := range 40 {
		w.Take(pt.Config(pt.Pipeline("default", pt.Stage(fmt.Sprint("stage", i), "auto", "commit"))))
		w.Sleep(time.Minute)
	}
	stages := w.State.Pipelines["default"].Stages
	if len(stages) != 21 || stages["stage39"] == nil || stages["stage20"] == nil || stages["dev"] != nil {
		t.Errorf("%d stages are remembered, want the last that were gone and the one of now", len(stages))
	}
}
