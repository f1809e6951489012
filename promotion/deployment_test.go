package promotion_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// recorded is dev, verified by e2e, which records Deployments in "testing".
func recorded() *promotion.Pipeline {
	return gated(func(dev, _ *promotion.Stage) {
		dev.Environment = "testing"
		dev.Verify = &promotion.Verify{Checks: []string{"e2e"}, Timeout: 10 * time.Minute}
	})
}

func TestDeploymentsFollowTheLanding(t *testing.T) {
	for _, c := range []struct {
		name   string
		verify bool
		then   func(w *pt.World)
		want   []string
	}{
		{"without verification", false, func(*pt.World) {}, []string{"success"}},
		{"while it is verified", true, func(*pt.World) {}, []string{"in_progress"}},
		{"verified", true, func(w *pt.World) { w.Check(w.Landing("dev"), "e2e", "success") }, []string{"in_progress", "success"}},
		{"red", true, func(w *pt.World) { w.Check(w.Landing("dev"), "e2e", "failure") }, []string{"in_progress", "failure"}},
		{"aborted", true, func(w *pt.World) { w.Say("octocat", "/abort dev") }, []string{"in_progress", "error"}},
		{"tried again", true, func(w *pt.World) {
			w.Check(w.Landing("dev"), "e2e", "failure")
			w.Check(w.Landing("dev"), "e2e", "")
			w.Say("octocat", "/retry dev")
			w.Check(w.Landing("dev"), "e2e", "success")
		}, []string{"in_progress", "failure", "in_progress", "success"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := recorded()
			if !c.verify {
				p.Stages[0].Verify = nil
			}
			w := pt.NewWorld(p)
			w.Take(pt.Push(pt.SHA("c1")))
			c.then(w)
			if got := w.Deployments[w.Last("dev").Name]; !slices.Equal(got, c.want) {
				t.Errorf("the Deployment was told %q, want %q", got, c.want)
			}
			w.Take() // nothing is news
			if got := w.Deployments[w.Last("dev").Name]; len(got) != len(c.want) || len(w.Deployments) != 1 {
				t.Errorf("told once more: %q", w.Deployments)
			}
		})
	}
}

func TestDeploymentsOnlyWhereAnEnvironmentIsNamed(t *testing.T) {
	w := pt.NewWorld(gated(func(_, _ *promotion.Stage) {}))
	w.Take(pt.Push(pt.SHA("c1")))
	if len(w.Deployments) != 0 {
		t.Errorf("recorded %q, though no stage names an environment", w.Deployments)
	}
}

// An app that may not write Deployments promotes all the same, says so once, and
// asks no more until the owner accepts the permission.
func TestDeploymentsThatMayNotBeWritten(t *testing.T) {
	w := pt.NewWorld(recorded())
	asked, denied := 0, true
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind != promotion.KindDeployment || !denied {
			return nil
		}
		asked++
		return &promotion.MissingPermission{Needed: "deployments=write", Doing: "record a Deployment"}
	}
	w.Take(pt.Push(pt.SHA("c1")))
	says(t, w, "dev", promotion.PhaseWaiting, "Verifying")
	w.Check(w.Landing("dev"), "e2e", "success")
	says(t, w, "dev", promotion.PhaseSucceeded, "Landed")
	w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
	w.Check(w.Landing("dev"), "e2e", "success")
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
	told := func() int {
		n := 0
		for _, p := range w.State.Problems {
			if strings.Contains(p.Text, "deployments=write") {
				n++
			}
		}
		return n
	}
	if told() != 1 {
		t.Errorf("the problems are %+v, want one that names the permission", w.State.Problems)
	}
	denied = false
	w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Unblocked{}})
	w.Take(pt.PushOn(pt.SHA("c2"), pt.SHA("c3")))
	if got := w.Deployments[w.Last("dev").Name]; told() != 0 || !slices.Equal(got, []string{"in_progress"}) {
		t.Errorf("allowed again, it was told %q, with the problems %+v", got, w.State.Problems)
	}
}
