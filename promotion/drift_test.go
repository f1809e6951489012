package promotion_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// drifted is a world in which dev holds what landed by commit, and how often somebody
// looked for what was changed by hand.
func drifted(t *testing.T) (w *pt.World, looks *int) {
	t.Helper()
	w = pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("test", "auto", "commit")))
	w.Take(pt.Push(pt.SHA("c1")))
	looks = new(int)
	w.OnAdvance = func(before, after *promotion.State) {
		for id := range after.Local.Pending {
			if before.Local.Pending[id] == nil && strings.HasPrefix(id, "drift/") {
				*looks++
			}
		}
	}
	return w, looks
}

func driftOf(w *pt.World, stage string) *promotion.Drift {
	return w.State.Pipelines["default"].Stages[stage].Drift
}

func driftTold(w *pt.World) string {
	for _, p := range w.State.Problems {
		if strings.HasPrefix(p.Key, "drift/") {
			return p.Text
		}
	}
	return ""
}

// What somebody changes by hand is looked for when a push touches what a stage's
// last promotion wrote, told, and forgotten when it is changed back or when a
// promotion lands there.
func TestDrift(t *testing.T) {
	w, looks := drifted(t)
	w.TouchBase("monalisa", "docs/README.md")
	if *looks != 0 {
		t.Errorf("a push of other files costs %d looks", *looks)
	}
	w.Gone = func(stage string) []string { return []string{"envs/" + stage} }
	w.TouchBase("monalisa", "envs/dev")
	if d := driftOf(w, "dev"); *looks != 1 || d == nil || d.By != "monalisa" || !slices.Equal(d.Files, []string{"envs/dev"}) {
		t.Fatalf("after %d looks: %+v", *looks, d)
	}
	if driftOf(w, "test") != nil {
		t.Error("the other stage is told of, which was not touched")
	}
	if text := driftTold(w); !strings.HasPrefix(text, "dev was changed by hand: what its last promotion wrote in envs/dev is not there any more since ") {
		t.Errorf("told %q", text)
	}
	w.Gone = nil
	w.TouchBase("monalisa", "envs/dev")
	if d := driftOf(w, "dev"); d != nil || driftTold(w) != "" {
		t.Errorf("it was changed back: %+v, told %q", d, driftTold(w))
	}
	w.Gone = func(stage string) []string { return []string{"envs/" + stage} }
	w.TouchBase("monalisa", "envs/dev")
	w.Take(pt.PushOn(w.State.Local.Tips["main"], pt.SHA("c2")))
	if d := driftOf(w, "dev"); d != nil || driftTold(w) != "" {
		t.Errorf("a promotion landed: %+v, told %q", d, driftTold(w))
	}
}

// What promotions land, also when a person merged it, is no change by hand.
func TestLandingsAreNoDrift(t *testing.T) {
	stage := pt.Stage("prod", "auto")
	w := pt.NewWorld(pt.Pipeline("default", stage))
	w.Gone = func(stage string) []string { return []string{"envs/" + stage} }
	w.Take(pt.Push(pt.SHA("c1")))
	w.End("prod", "merged")
	p := w.Last("prod")
	for name, message := range map[string]string{
		"with its trailers":  "Promote\n\n" + p.Trailers(nil),
		"by its number":      "Squashed by hand (#100)",
		"the landed commit":  "Nothing of it is told",
		"another's trailers": "Promote\n\nStagecoach-Promotion: test.x.y\n",
	} {
		sha := pt.SHA(name)
		if name == "the landed commit" {
			sha = p.Landed
		}
		w.Take(promotion.Event{Repo: pt.Repo, At: w.Now, Body: promotion.Pushed{
			Branch: "main", After: sha, Pusher: "octocat", Complete: true,
			Commits: []promotion.PushedCommit{{SHA: sha, Message: message, Paths: []string{"envs/prod"}}},
		}})
		if d := driftOf(w, "prod"); d != nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// A look that is answered after something else landed says nothing.
func TestDriftOfSomethingElse(t *testing.T) {
	w, _ := drifted(t)
	w.Gone = func(stage string) []string { return []string{"envs/" + stage} }
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindDrift }
	w.TouchBase("monalisa", "envs/dev")
	w.Take(pt.PushOn(w.State.Local.Tips["main"], pt.SHA("c2")))
	w.Hold = nil
	w.Take()
	if d := driftOf(w, "dev"); d != nil {
		t.Errorf("%+v", d)
	}
}
