package promotion_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// Who approves before there is a pull request has not seen it: what was written while
// the steps ran does not count for what they made (promise 19).
func TestAnApprovalFromBeforeTheOpeningDoesNotCount(t *testing.T) {
	w := pt.NewWorld(gated(func(_, prod *promotion.Stage) { prod.Gates.Approvals = &promotion.Approvals{} }))
	w.Take(pt.Push(pt.SHA("c1")))
	pushing := func(e promotion.Effect) bool { return e.Kind == promotion.KindStep && e.Step == 2 }
	w.Hold = pushing
	w.Take(pt.Comment(1, w.Now, "/promote prod"))
	w.Now = w.Now.Add(10 * time.Second)
	w.Hold = func(e promotion.Effect) bool { return pushing(e) || e.Kind == promotion.KindPermission }
	w.Take(pt.Comment(2, w.Now, "/approve prod"))
	w.Now = w.Now.Add(time.Minute)
	w.Hold = func(e promotion.Effect) bool { return e.Kind == promotion.KindPermission }
	w.Take()
	w.Hold = nil
	w.Take()
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 1 of 1 approval")
	if w.Reactions["2 confused"] != 1 || len(w.Replies) != 1 || !strings.Contains(w.Replies[0], "was not open yet when this was written") {
		t.Errorf("reactions %v, replies %q", w.Reactions, w.Replies)
	}
	w.Take(pt.Comment(3, w.Now, "/approve prod"))
	says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge: all gates are open")
}

// A review of somebody whose teams could not be read is judged when they can be:
// nobody reviews once more because the app lacked a permission.
func TestAReviewIsJudgedAgainWhenTeamsCanBeRead(t *testing.T) {
	for _, ended := range []bool{false, true} {
		w := pt.NewWorld(gated(func(_, prod *promotion.Stage) {
			prod.Auto, prod.Gates.Approvals = true, &promotion.Approvals{Teams: []string{"sre"}}
		}))
		w.Take(pt.Push(pt.SHA("c1")))
		w.Teams, w.TeamsUnread = map[string][]string{}, "the app may not read members"
		review(w, "approved", "monalisa", w.Pulls[0].Head, 7)
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 1 of 1 approval")
		w.Teams, w.TeamsUnread = map[string][]string{"sre": {"monalisa"}}, ""
		w.Take()
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for 1 of 1 approval")
		if ended {
			w.End("prod", "closed")
			if s := w.State.Comments[0]; !s.Done || s.Unread {
				t.Errorf("the review is kept: %+v", s)
			}
			continue
		}
		w.Take(promotion.Event{Repo: pt.Repo, Body: promotion.Unblocked{}})
		says(t, w, "prod", promotion.PhaseWaiting, "Waiting for merge: all gates are open")
	}
}
