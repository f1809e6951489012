package ghsim_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v57/github"
)

func TestReviews(t *testing.T) {
	w := newWorld(t)
	octocat, hubot, number := w.As("octocat"), w.As("hubot"), w.pullRequest("next")
	must(t, w.SetPermission(w.repo, "hubot", "read"))
	head := w.Branches(w.repo)["next"]
	w.take()
	for what, err := range map[string]error{
		"Can not approve your own pull request":            second(octocat.Approve(w.repo, number)),
		"Can not request changes on your own pull request": second(octocat.RequestChanges(w.repo, number, "no")),
		"Body cannot be blank":                             second(hubot.RequestChanges(w.repo, number, "")),
		"provided invalid value":                           hubot.Do("POST", "/repos/acme/gitops/pulls/1/reviews", map[string]string{"event": "LGTM"}, nil),
		"commitOID is not part of the pull request":        hubot.Do("POST", "/repos/acme/gitops/pulls/1/reviews", map[string]string{"commit_id": w.Branches(w.repo)["main"]}, nil),
	} {
		if refusal(err) != 422 || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want 422 %s", err, what)
		}
	}
	id, err := hubot.Approve(w.repo, number)
	must(t, err)
	got := w.take()
	if len(got) != 1 {
		t.Fatalf("%d events", len(got))
	}
	e, err := github.ParseWebHook("pull_request_review", got[0].body)
	must(t, err)
	event := e.(*github.PullRequestReviewEvent)
	if event.GetAction() != "submitted" || event.GetReview().GetState() != "approved" || event.GetReview().GetCommitID() != head ||
		event.GetPullRequest().GetNumber() != number || event.GetSender().GetLogin() != "hubot" {
		t.Errorf("%s", got[0].body)
	}
	_, err = octocat.Commit(w.repo, "next", map[string]string{"more": "more"}, "More")
	must(t, err)
	if all := w.Reviews(w.repo, number); len(all) != 1 || all[0].State != "APPROVED" || all[0].Commit != head || all[0].ID != id {
		t.Errorf("after new commits: %+v", all)
	}
	if err := hubot.DismissReview(w.repo, number, id, "too early"); refusal(err) != 403 {
		t.Errorf("a reader dismissed: %v", err)
	}
	must(t, octocat.DismissReview(w.repo, number, id, "too early"))
	if err := octocat.DismissReview(w.repo, number, id, "again"); refusal(err) != 422 {
		t.Errorf("dismissed twice: %v", err)
	}
	if got := w.events(); !slices.Equal(got, []string{"push", "check_suite.requested", "pull_request.synchronize", "pull_request_review.dismissed"}) {
		t.Errorf("events %v", got)
	}
}

func second[T any](_ T, err error) error { return err }

// A review without an event is pending: nobody but its author sees it, nobody hears of it.
func TestPendingReview(t *testing.T) {
	w := newWorld(t)
	number := w.pullRequest("next")
	w.take()
	must(t, w.SetPermission(w.repo, "hubot", "read"))
	must(t, w.As("hubot").Do("POST", "/repos/acme/gitops/pulls/1/reviews", map[string]string{"body": "hm"}, nil))
	all, _, err := w.rest.PullRequests.ListReviews(context.Background(), "acme", "gitops", number, nil)
	must(t, err)
	if len(all) != 0 || len(w.events()) != 0 {
		t.Errorf("somebody else saw %+v", all)
	}
	var own []map[string]any
	must(t, w.As("hubot").Do("GET", "/repos/acme/gitops/pulls/1/reviews", nil, &own))
	if len(own) != 1 || own[0]["state"] != "PENDING" {
		t.Errorf("the author sees %v", own)
	}
}

func TestDrafts(t *testing.T) {
	w := newWorld(t)
	octocat := w.As("octocat")
	_, err := octocat.Commit(w.repo, "next", map[string]string{"a": "b"}, "Next")
	must(t, err)
	number, err := octocat.CreateDraft(w.repo, "next", "main", "Next", "")
	must(t, err)
	w.take()
	if _, err := octocat.Merge(w.repo, number, "merge"); refusal(err) != 405 {
		t.Errorf("a draft was merged: %v", err)
	}
	if err := w.As("hubot").ReadyForReview(w.repo, number); err == nil {
		t.Error("a stranger made it ready")
	}
	must(t, octocat.ReadyForReview(w.repo, number))
	must(t, octocat.ConvertToDraft(w.repo, number))
	must(t, octocat.ReadyForReview(w.repo, number))
	if got := w.events(); !slices.Equal(got, []string{"pull_request.ready_for_review", "pull_request.converted_to_draft", "pull_request.ready_for_review"}) {
		t.Errorf("events %v", got)
	}
	_, err = octocat.Merge(w.repo, number, "merge")
	must(t, err)
	if err := octocat.ConvertToDraft(w.repo, number); err == nil {
		t.Error("a merged pull request became a draft")
	}
}

// Whether a pull request merges is unknown until a job has looked, and again after head or base moved.
func TestMergeableIsKnownLate(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.SetMergeableDelay(3 * time.Second)
	number := w.pullRequest("next")
	known := func() bool {
		pull, _, err := w.rest.PullRequests.Get(ctx, "acme", "gitops", number)
		must(t, err)
		return pull.Mergeable != nil
	}
	want := func(when string, is bool) {
		t.Helper()
		if known() != is {
			t.Errorf("%s: known is %v", when, !is)
		}
	}
	want("first read", false)
	w.clock.pass(2 * time.Second)
	want("2 s later", false)
	w.clock.pass(time.Second)
	want("3 s later", true)
	_, err := w.As("octocat").Commit(w.repo, "main", map[string]string{"a": "b"}, "Base moves")
	must(t, err)
	want("after the base moved", false)
	w.clock.pass(3 * time.Second)
	want("3 s after that", true)
}

func TestUpdateBranch(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	number := w.pullRequest("next")
	update := func(opts *github.PullRequestBranchUpdateOptions) int {
		_, resp, err := w.rest.PullRequests.UpdateBranch(ctx, "acme", "gitops", number, opts)
		if resp == nil {
			t.Fatal(err)
		}
		return resp.StatusCode
	}
	if got := update(nil); got != 422 {
		t.Errorf("nothing to update: %d", got)
	}
	main, err := w.As("octocat").Commit(w.repo, "main", map[string]string{"a": "b"}, "Base moves")
	must(t, err)
	if got := update(&github.PullRequestBranchUpdateOptions{ExpectedHeadSHA: github.String(main)}); got != 422 {
		t.Errorf("another head: %d", got)
	}
	w.take()
	if got := update(nil); got != 202 {
		t.Errorf("update: %d", got)
	}
	if got := w.events(); !slices.Contains(got, "pull_request.synchronize") {
		t.Errorf("events %v", got)
	}
	log, err := w.Log(w.repo, "next")
	must(t, err)
	if len(log[0].Parents) != 2 || log[0].Parents[1] != main {
		t.Errorf("head %+v", log[0])
	}
}
