package ghapi_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Reviews are read as the events tell of them, also those that were dismissed since.
func TestReviews(t *testing.T) {
	w := newWorld(t)
	open, sha := w.openTask()
	w.run(open)
	number := w.PullRequests(w.gitops)[0].Number
	w.SetPermission(w.gitops, "hubot", "admin")
	yes, err := w.As("hubot").Approve(w.gitops, number)
	must(t, err)
	no, err := w.As("hubot").RequestChanges(w.gitops, number, "Not yet")
	must(t, err)
	must(t, w.As("hubot").DismissReview(w.gitops, number, yes, "No"))
	task := w.task(promotion.KindReviews)
	task.Effect.Number = number
	var got promotion.Result
	w.costs("0 writes, 1 reads", func() { got = w.run(task) })
	if got.Err != nil || len(got.Reviews) != 2 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []promotion.Reviewed{{Review: yes, State: "dismissed"}, {Review: no, State: "changes_requested"}} {
		r := got.Reviews[i]
		if r.Review != want.Review || r.State != want.State || r.SHA != sha || r.By != "hubot" || r.ByID == 0 || r.ByBot || !r.SameRepo || r.Number != number || r.At.IsZero() {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
}
