package promotion_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// What a former attempt left on GitHub goes before the next one begins: it would
// take the branch, which has the same name, for its own.
func TestRetryWaitsUntilTheFormerAttemptIsCleanedUp(t *testing.T) {
	cases := []struct {
		name string
		end  func(w *pt.World, down *promotion.Kind)
	}{
		{"the branch is still there", func(w *pt.World, down *promotion.Kind) {
			*down = promotion.KindDeleteBranch
			w.End("prod", "closed")
		}},
		{"the pull request is still open", func(w *pt.World, down *promotion.Kind) {
			*down = promotion.KindPullRequest
			w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.PullRequestChanged{Number: 100, Action: "reopened", SameRepo: true}})
			w.Sleep(3 * time.Hour) // until the reads of it are given up
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := pt.NewWorld(pt.Pipeline("default", pt.Stage("prod", "auto")))
			w.Take(pt.Push(pt.SHA("c1")))
			var down promotion.Kind
			w.Fault = func(e promotion.Effect) pt.Fault {
				if e.Kind == down || down == promotion.KindPullRequest && e.Kind == promotion.KindStep && e.Step == 4 {
					return pt.NotDone
				}
				return pt.Well
			}
			c.end(w, &down)
			w.Take(pt.Comment(1, w.Now, "/retry prod"))
			if p := w.All("prod")[0]; p.Phase != promotion.PhaseQueued {
				t.Fatalf("%s while the former attempt is cleaned up", p.Phase)
			}
			down = ""
			w.Sleep(time.Hour)
			p := w.All("prod")[0]
			if p.Phase != promotion.PhaseWaiting || p.PullRequest == nil || p.PullRequest.Number != 101 || w.Commits[p.Pushed] != p.Name {
				t.Errorf("%s: %s, pull request %+v, branches %v", p.Phase, p.Message, p.PullRequest, w.Commits)
			}
			if w.Pulls[0].State != "closed" || w.Pulls[1].State != "open" {
				t.Errorf("the former pull request is %s, the new one %s", w.Pulls[0].State, w.Pulls[1].State)
			}
		})
	}
}
