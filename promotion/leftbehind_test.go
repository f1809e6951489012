package promotion_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// rebuilt is a state without a ledger whose freight is known and that is told
// what git shows.
func rebuilt(t *testing.T, found ...promotion.Found) *promotion.State {
	t.Helper()
	w := pt.NewWorld(three())
	fresh := *w.State
	fresh.Pipelines = nil
	d := promotion.Advance(&fresh, []promotion.Input{pt.Config(three()), promotion.Rebuilt{}}, w.Now)
	inputs := []promotion.Input{promotion.Result{Effect: "adopt", Found: found}}
	for _, e := range d.State.Local.Pending {
		if e.Kind == promotion.KindSource {
			inputs = append(inputs, promotion.Result{Effect: e.ID, Artifact: artifact()})
		}
	}
	return promotion.Advance(d.State, inputs, w.Now).State
}

func artifact() *promotion.Artifact {
	return &promotion.Artifact{Source: "app", Kind: "git", Repo: pt.Repo.FullName(), Branch: "main", Commit: pt.SHA("c1")}
}

// A merge that happened while nobody looked leaves its branch to us, but not one
// whose tip is somebody else's commit.
func TestABranchLeftBehindIsDeletedIfItsTipIsOurs(t *testing.T) {
	freight := promotion.FreightID([]promotion.Artifact{*artifact()})
	name := promotion.NewName("staging", pt.Start, "somebody asked", freight)
	branch := promotion.BranchName("default", "staging", name)
	landed := promotion.Found{Promotion: name, Pipeline: "default", Freight: freight, Branch: "main", Commit: pt.SHA("merged"), Landed: true}
	for _, c := range []struct {
		tip    string
		ours   string
		delete bool
	}{{"our commit", freight, true}, {"a person's commit", "", false}} {
		t.Run(c.tip, func(t *testing.T) {
			left := promotion.Found{Promotion: name, Pipeline: "default", Freight: c.ours, Branch: branch, Commit: pt.SHA(c.tip)}
			s := rebuilt(t, left, landed)
			p := s.Promotion(name)
			if p == nil || p.Phase != promotion.PhaseSucceeded || p.Landed != landed.Commit {
				t.Fatalf("it is %+v, want it landed", p)
			}
			e := s.Local.Pending["delete-branch/"+name]
			if (e != nil) != c.delete || e != nil && (e.Branch != branch || e.SHA != left.Commit) {
				t.Errorf("the deletion is %+v", e)
			}
			check := s.Local.Pending["check/"+name+"/"+landed.Commit]
			if check == nil || !check.Look {
				t.Errorf("the check run is %+v: it must be looked for", check)
			}
		})
	}
}
