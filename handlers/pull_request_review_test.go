package handlers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// review is the payload of a review of the recorded pull request.
func review(t *testing.T, action, state string) []byte {
	t.Helper()
	payload := with(t, recorded(t, "pull_request.opened.json"), action, "action")
	return with(t, payload, map[string]any{
		"id": 237895671, "commit_id": "ec26c3e57ca3a959ca5aad62de7213c562f8c821", "submitted_at": "2019-05-15T15:20:38Z", "state": state,
		"user": map[string]any{"login": "monalisa", "id": 2, "type": "User"},
	}, "review")
}

func TestPullRequestReview(t *testing.T) {
	for _, c := range []struct{ action, state, want string }{
		{"submitted", "approved", "approved"},
		{"submitted", "APPROVED", "approved"},
		{"submitted", "changes_requested", "changes_requested"},
		{"submitted", "commented", "commented"},
		{"edited", "approved", "approved"},
		{"dismissed", "dismissed", "dismissed"},
		{"dismissed", "approved", "dismissed"},
	} {
		want := promotion.Reviewed{
			Number: 2, Review: 237895671, State: c.want, SHA: "ec26c3e57ca3a959ca5aad62de7213c562f8c821", HeadBranch: "changes", SameRepo: true,
			By: "monalisa", ByID: 2, // who wrote it, and not Codertocat, who sent this
		}
		if diff := cmp.Diff(want, only[promotion.Reviewed](t, "pull_request_review", review(t, c.action, c.state))); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", c.action, c.state, diff)
		}
	}
	none(t, "pull_request_review", review(t, "something new", "approved"))
}

func TestWhoReviewed(t *testing.T) {
	approved := review(t, "submitted", "approved")
	bot := only[promotion.Reviewed](t, "pull_request_review", with(t, approved, "Bot", "review", "user", "type"))
	gone := only[promotion.Reviewed](t, "pull_request_review", with(t, approved, nil, "review", "user"))
	if !bot.ByBot || !gone.ByBot || gone.By != "" {
		t.Errorf("a bot's review is %+v, that of nobody %+v; want none that counts", bot, gone)
	}
	fork := only[promotion.Reviewed](t, "pull_request_review", with(t, approved, 99, "pull_request", "head", "repo", "id"))
	lost := only[promotion.Reviewed](t, "pull_request_review", with(t, approved, nil, "pull_request", "head", "repo"))
	if fork.SameRepo || lost.SameRepo {
		t.Errorf("a fork counts as the same repository: %+v, %+v", fork, lost)
	}
	for _, member := range [][]string{{"review", "id"}, {"pull_request", "number"}} {
		if events, err := us.Translate("pull_request_review", "guid-1", with(t, approved, nil, member...)); err == nil {
			t.Errorf("without %v it gave %v and no error", member, events)
		}
	}
}

func TestWhenItWasReviewed(t *testing.T) {
	updated := func(payload []byte) []byte { return with(t, payload, "2019-05-16T10:00:00Z", "review", "updated_at") }
	for name, c := range map[string]struct {
		payload []byte
		want    string
	}{
		"submitted":            {updated(review(t, "submitted", "approved")), "2019-05-15T15:20:38Z"},
		"dismissed":            {updated(review(t, "dismissed", "dismissed")), "2019-05-16T10:00:00Z"},
		"edited":               {updated(review(t, "edited", "commented")), "2019-05-16T10:00:00Z"},
		"dismissed, not dated": {review(t, "dismissed", "dismissed"), "2019-05-15T15:20:33Z"}, // of the pull request
	} {
		if events := translate(t, "pull_request_review", c.payload); len(events) != 1 || !events[0].At.Equal(instant(c.want)) {
			t.Errorf("%s: got %+v; want the time %s", name, events, c.want)
		}
	}
}
