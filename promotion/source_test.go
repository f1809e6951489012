package promotion_test

import (
	"slices"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// chain are pushes to main, each on the one before.
func chain(names ...string) []promotion.Event {
	var out []promotion.Event
	before := pt.SHA("c0")
	for _, name := range names {
		out = append(out, pt.PushOn(before, pt.SHA(name)))
		before = pt.SHA(name)
	}
	return out
}

// What arrives late, or twice, never takes a stage back.
func TestPushesInAnyOrderEndWithTheNewest(t *testing.T) {
	pushes := chain("c1", "c2", "c3", "c4")
	orders := [][]int{{0, 1, 2, 3}, {0, 2, 1, 3}, {3, 2, 1, 0}, {0, 3, 1, 2}, {1, 0, 3, 2}, {0, 1, 2, 3, 0, 1, 2}, {2, 3, 0, 1}, {0, 3}, {3}}
	for _, order := range orders {
		for _, together := range []bool{false, true} {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
			w.Tip = pt.SHA("c4")
			var all []promotion.Input
			for _, i := range order {
				if all = append(all, pushes[i]); !together {
					w.Take(pushes[i])
				}
			}
			if together {
				w.Take(all...)
			}
			ps := w.State.Pipelines["default"]
			holds := w.State.FreightByID("default", ps.Stages["dev"].Current.Freight)
			if holds.Artifacts[0].Commit != pt.SHA("c4") || ps.Artifacts["app"].Commit != pt.SHA("c4") {
				t.Errorf("in the order %v (together: %v) dev ends with %s", order, together, holds.Title())
			}
		}
	}
}

// Deliveries of what was found at the first look arrive after it.
func TestTheFirstLookIsNotUndoneByLateDeliveries(t *testing.T) {
	w := pt.NewWorld()
	w.Tip = pt.SHA("c3")
	in := pt.Config(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	in.Branch, in.Tips = "main", map[string]string{"main": pt.SHA("c3")}
	w.Take(in)
	for _, push := range chain("c1", "c2", "c3") {
		w.Take(push)
	}
	ps := w.State.Pipelines["default"]
	if len(ps.Freight) != 1 || ps.Freight[0].Artifacts[0].Commit != pt.SHA("c3") {
		t.Errorf("%d pieces of freight, want that of c3 alone", len(ps.Freight))
	}
}

// A look that read the branch before a push must not pass its answer for newer.
func TestALookThatAPushOvertookIsDoneAgain(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindSource }
	pushes := chain("c1", "c2", "c3", "c4")
	w.Take(pushes[0])
	w.Take(pushes[2]) // the second is lost; the look that follows sees c3
	w.Tip = pt.SHA("c4")
	look := "source/default/app/after/" + pt.SHA("c3")[:7]
	if w.State.Local.Pending[look] == nil {
		t.Fatalf("no look: %v", w.State.Local.Pending)
	}
	w.Take(pushes[3])
	newer := &promotion.Artifact{Source: "app", Kind: "git", Repo: pt.Repo.FullName(), Branch: "main", Commit: pt.SHA("c4")}
	w.Take(promotion.Result{Effect: "source/default/app/after/" + pt.SHA("c4")[:7], Artifact: newer, Tip: pt.SHA("c4")})
	w.Hold = nil // and only now the answer of the first one
	old := &promotion.Artifact{Source: "app", Kind: "git", Repo: pt.Repo.FullName(), Branch: "main", Commit: pt.SHA("c3")}
	w.Take(promotion.Result{Effect: look, Artifact: old, Tip: pt.SHA("c3")})
	if got := w.State.Pipelines["default"].Artifacts["app"].Commit; got != pt.SHA("c4") {
		t.Errorf("the newest artifact is %s, want c4 (%s)", got, pt.SHA("c4"))
	}
}

func TestWhatWasMissedIsLookedFor(t *testing.T) {
	other := three()
	other.Sources[0].Git.Branch = "next"
	cases := map[string][]promotion.Input{
		"the file came back":      {pt.Config(), pt.Config(three())},
		"the source changed":      {pt.Config(other)},
		"taken up again":          {promotion.Event{Repo: pt.Repo, Body: promotion.TakenUp{}}},
		"another default branch":  {promotion.Event{Repo: pt.Repo, Body: promotion.Renamed{}}},
		"the file is as it was":   {pt.Config(three())},
		"a permission was given":  {promotion.Event{Repo: pt.Repo, Body: promotion.Unblocked{}}},
		"the file cannot be read": {promotion.ConfigRead{Broken: map[string][]promotion.Problem{"default": {{Text: "no"}}}}, pt.Config(three())},
	}
	nothing := []string{"the file is as it was", "a permission was given", "the file cannot be read"}
	for name, inputs := range cases {
		w := pt.NewWorld(three())
		w.Take(pt.Push(pt.SHA("c1")))
		s := w.State
		for _, in := range inputs {
			s = promotion.Advance(s, []promotion.Input{in}, w.Now).State
		}
		looks := 0
		for _, e := range s.Local.Pending {
			if e.Kind == promotion.KindSource {
				looks++
			}
		}
		if want := slices.Contains(nothing, name); (looks == 0) != want || looks > 1 {
			t.Errorf("%s: %d looks at the source", name, looks)
		}
	}
}

// Where the branches were read with the config, a look need not ask for them again.
func TestTheFirstLookIsAtTheTipThatWasReadWithTheConfig(t *testing.T) {
	in := pt.Config(pt.Pipeline("default", pt.Stage("dev")))
	for _, tips := range []map[string]string{nil, {"main": pt.SHA("c3")}, {"next": pt.SHA("c4")}} {
		in.Branch, in.Tips = "main", tips
		w := pt.NewWorld()
		s := promotion.Advance(w.State, []promotion.Input{in}, w.Now).State
		var at []string
		for _, e := range s.Local.Pending {
			at = append(at, e.Text)
		}
		if !slices.Equal(at, []string{tips["main"]}) {
			t.Errorf("tips %v: looks at %q", tips, at)
		}
	}
}
