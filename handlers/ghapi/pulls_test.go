package ghapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

const createPull = "POST /repos/{owner}/{repo}/pulls"

// openTask is git-open-pr as `deliver` adds it, after the push.
func (w *world) openTask() (t promotion.Task, sha string) {
	t = w.step("git-open-pr", "")
	t.Promotion.Pushed, sha = w.branch()
	t.Promotion.Commit = sha
	return t, sha
}

func TestOpenPullRequest(t *testing.T) {
	w := newWorld(t)
	task, sha := w.openTask()
	var got promotion.Result
	w.costs("1 writes, 0 reads", func() { got = w.run(task) })
	url := w.URL() + "/acme/gitops/pull/1"
	want := promotion.Result{
		Effect: task.Effect.ID, Phase: promotion.StepSucceeded, Message: "opened #1",
		Output:      map[string]jsonText{"pr": jsonText(`{"id":1,"url":"` + url + `"}`), "prNumber": jsonText("1")},
		PullRequest: &promotion.PullRequest{Number: 1, URL: url, Head: sha, State: "open"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	title, body := ledger.PullRequest(task, ledger.Links{WebURL: w.URL()})
	pr := w.PullRequests(w.gitops)[0]
	if pr.Title != title || pr.Body != body || pr.Base != "main" || pr.Head != task.Promotion.Pushed || pr.Draft {
		t.Errorf("GitHub has %+v", pr)
	}
}

func TestOpenPullRequestAsConfigured(t *testing.T) {
	w := newWorld(t)
	_, err := w.As("octocat").Commit(w.gitops, "release", map[string]string{"a": "b"}, "Branch off")
	must(t, err)
	task, _ := w.openTask()
	task.Promotion.Plan.PullRequest = promotion.PullRequestOptions{Title: "of the plan", Body: "of the plan", Draft: true}
	task.Config = jsonText(`{"repoURL":"https://127.0.0.1/acme/gitops.git","title":"Deploy\n now","targetBranch":"release","draft":false}`)
	w.run(task)
	pr := w.PullRequests(w.gitops)[0]
	if pr.Title != "Deploy now" || pr.Base != "release" || pr.Draft || pr.Body != "of the plan\n\n"+ledger.Marker(promo) {
		t.Errorf("GitHub has %+v", pr)
	}
}

func TestOpenPullRequestIsAdopted(t *testing.T) {
	w := newWorld(t)
	task, sha := w.openTask()
	again := w.lost(task, createPull)
	var got promotion.Result
	w.costs("0 writes, 1 reads", func() { got = w.run(again) })
	if got.PullRequest == nil || got.PullRequest.Number != 1 || got.PullRequest.Head != sha || got.PullRequest.State != "open" {
		t.Errorf("adopted %+v", got.PullRequest)
	}
	if slept := w.waits(); slept != nil {
		t.Errorf("waited %v, although GitHub keeps one pull request a branch", slept)
	}
	// The same, but the caller does not know that it has been tried.
	w.costs("1 writes, 0 reads", func() { got = w.run(task) }) // refused; the list is unchanged
	if got.PullRequest.Number != 1 {
		t.Errorf("adopted %+v", got.PullRequest)
	}
	_, err := w.As("octocat").Merge(w.gitops, 1, "squash")
	must(t, err)
	if got = w.run(again); got.PullRequest.State != "merged" {
		t.Errorf("a merged one was adopted as %+v", got.PullRequest)
	}
	if n := len(w.PullRequests(w.gitops)); n != 1 {
		t.Errorf("there are %d pull requests", n)
	}
}

// A branch that several promotions share has pull requests of the others.
func TestOnlyThePromotionsOwnPullRequestIsAdopted(t *testing.T) {
	w := newWorld(t)
	octocat := w.As("octocat")
	sha, err := octocat.Commit(w.gitops, "next", map[string]string{"a": "1"}, "One")
	must(t, err)
	older, err := octocat.CreatePR(w.gitops, "next", "main", "Older", "")
	must(t, err)
	must(t, octocat.ClosePR(w.gitops, older))
	task := w.step("git-open-pr", `{"sourceBranch":"next"}`)
	task.Promotion.Commit = sha
	task.Effect.Look = true
	for range 2 {
		if got := w.run(task); got.PullRequest.Number != 2 {
			t.Errorf("took %+v", got.PullRequest)
		}
	}
	// Closed by a person, it is still the one that was opened.
	must(t, octocat.ClosePR(w.gitops, 2))
	if got := w.run(task); got.PullRequest.Number != 2 || got.PullRequest.State != "closed" {
		t.Errorf("took %+v", got.PullRequest)
	}
}

// A promotion that is retried after its pull request was closed opens another.
func TestAFormerPullRequestIsNotAdopted(t *testing.T) {
	w := newWorld(t)
	task, _ := w.openTask()
	w.run(task)
	must(t, w.As("octocat").ClosePR(w.gitops, 1))
	task.Effect.Look = true
	task.Promotion.Former = []int{1}
	if got := w.run(task); got.PullRequest.Number != 2 || got.PullRequest.State != "open" {
		t.Errorf("took %+v", got.PullRequest)
	}
}

func TestPullRequestsThatCannotBeOpened(t *testing.T) {
	w := newWorld(t)
	main := w.Branches(w.gitops)["main"]
	for name, c := range map[string]struct {
		config, want string
	}{
		"nothing pushed":     {"{}", "no branch was pushed"},
		"nothing to merge":   {`{"sourceBranch":"main","targetBranch":"main"}`, "main holds nothing that main does not hold already"},
		"another repository": {`{"repoURL":"https://127.0.0.1/acme/other","sourceBranch":"a"}`, "repoURL names https://127.0.0.1/acme/other"},
		"a wrong type":       {`{"title":7}`, "config of git-open-pr"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.Run(t.Context(), w.step("git-open-pr", c.config))
			if !promotion.IsTerminal(r.Err) || !strings.Contains(r.Err.Error(), c.want) {
				t.Errorf("got %v", r.Err)
			}
		})
	}
	if main != w.Branches(w.gitops)["main"] || len(w.PullRequests(w.gitops)) > 0 {
		t.Error("something was made")
	}
}

// A branch that was pushed a moment ago may not be known everywhere.
func TestAFreshBranchMayBeUnknown(t *testing.T) {
	w := newWorld(t)
	task := w.step("git-open-pr", `{"sourceBranch":"missing"}`)
	if r := w.Run(t.Context(), task); r.Err == nil || promotion.IsTerminal(r.Err) {
		t.Errorf("right after the push: %v", r.Err)
	}
	task.Effect.SentAt = task.Effect.SentAt.Add(-2 * minute)
	if r := w.Run(t.Context(), task); !promotion.IsTerminal(r.Err) {
		t.Errorf("long after the push: %v", r.Err)
	}
}

func TestWaitForPullRequest(t *testing.T) {
	w := newWorld(t)
	open, sha := w.openTask()
	pr := w.run(open).PullRequest
	task := w.step("git-wait-for-pr", `{}`)
	task.Promotion.PullRequest = pr
	var got promotion.Result
	w.costs("0 writes, 1 reads", func() { got = w.run(task) })
	if got.Phase != promotion.StepWaiting || got.PullRequest.State != "open" || got.PullRequest.Head != sha || got.Landed != "" {
		t.Errorf("open: %+v", got)
	}
	w.run(task)                                          // now GitHub knows that it can be merged, which changes the answer
	w.costs("0 writes, 0 reads", func() { w.run(task) }) // 304
	landed, err := w.As("octocat").Merge(w.gitops, 1, "squash")
	must(t, err)
	w.costs("0 writes, 1 reads", func() { got = w.run(task) })
	want := promotion.Result{
		Effect: task.Effect.ID, Phase: promotion.StepSucceeded, Message: "#1 was merged by octocat", Landed: landed,
		Output: map[string]jsonText{
			"commit": jsonText(`"` + landed + `"`),
			"pr":     jsonText(`{"id":1,"url":"` + pr.URL + `","open":false,"merged":true}`),
		},
		PullRequest: &promotion.PullRequest{Number: 1, URL: pr.URL, Head: sha, State: "merged"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}

func TestWaitForAClosedPullRequest(t *testing.T) {
	w := newWorld(t)
	open, _ := w.openTask()
	w.run(open)
	must(t, w.As("octocat").ClosePR(w.gitops, 1))
	for _, number := range []string{"1", `"1"`, "1.0"} {
		got := w.run(w.step("git-wait-for-pr", `{"prNumber":`+number+`}`))
		if got.Phase != promotion.StepFailed || got.Message != "#1 was closed without a merge by octocat" || got.PullRequest.State != "closed" {
			t.Errorf("prNumber %s: %+v", number, got)
		}
	}
	for _, number := range []string{"null", "0", "1.5", `"one"`, "true"} {
		r := w.Run(t.Context(), w.step("git-wait-for-pr", `{"prNumber":`+number+`}`))
		if !promotion.IsTerminal(r.Err) {
			t.Errorf("prNumber %s: %v", number, r.Err)
		}
	}
}

// An event told of a change, and GitHub's replica does not show it yet: the
// pull request is read once more, past the cache.
func TestWaitPastAStaleReplica(t *testing.T) {
	w := newWorld(t)
	open, _ := w.openTask()
	task := w.step("git-wait-for-pr", "{}")
	task.Promotion.PullRequest = w.run(open).PullRequest
	task.Promotion.PullRequest.Stale = true
	w.SetSleep(func(ctx contextT, d duration) error {
		_, err := w.As("octocat").Merge(w.gitops, 1, "merge")
		return err
	})
	var got promotion.Result
	w.costs("0 writes, 2 reads", func() { got = w.run(task) })
	if got.Phase != promotion.StepSucceeded {
		t.Errorf("got %+v", got)
	}
	if asked := w.Requests(); asked[len(asked)-1].Conditional {
		t.Error("the second read could be answered by what the first one left in the cache")
	}
}

func TestClosePullRequest(t *testing.T) {
	w := newWorld(t)
	open, _ := w.openTask()
	w.run(open)
	task := w.task(promotion.KindPullRequest)
	task.Effect.Number, task.Effect.Look, task.Effect.Text = 1, true, "superseded by <b>@acme/web</b> 1.4.3"
	body := w.PullRequests(w.gitops)[0].Body
	w.costs("1 writes, 1 reads", func() {
		if got := w.run(task); got.PullRequest.State != "closed" {
			t.Errorf("closed: %+v", got.PullRequest)
		}
	})
	pr := w.PullRequests(w.gitops)[0]
	if pr.State != "closed" || !strings.HasSuffix(pr.Body, body) || !strings.HasPrefix(pr.Body, "**Closed:** superseded by ") || strings.Contains(pr.Body, "<b>") {
		t.Errorf("GitHub has %+v", pr)
	}
	w.costs("0 writes, 1 reads", func() { w.run(task) })
	task.Effect.Look = false
	w.costs("1 writes, 0 reads", func() { w.run(task) })
}

func TestAMergedPullRequestIsNotClosed(t *testing.T) {
	w := newWorld(t)
	open, _ := w.openTask()
	w.run(open)
	landed, err := w.As("octocat").Merge(w.gitops, 1, "merge")
	must(t, err)
	task := w.task(promotion.KindPullRequest)
	task.Effect.Number, task.Effect.Look = 1, true
	w.costs("0 writes, 1 reads", func() {
		if got := w.run(task); got.PullRequest.State != "merged" || got.Landed != landed {
			t.Errorf("got %+v, landed as %q", got.PullRequest, got.Landed)
		}
	})
	task.Effect.Look = false
	if got := w.run(task); got.PullRequest.State != "merged" || got.Landed != landed {
		t.Errorf("without a look: %+v, landed as %q", got.PullRequest, got.Landed)
	}
}

func TestDeleteBranch(t *testing.T) {
	w := newWorld(t)
	task := w.task(promotion.KindDeleteBranch)
	task.Effect.Branch, task.Effect.SHA = w.branch()
	w.costs("1 writes, 1 reads", func() { w.run(task) })
	if w.Branches(w.gitops)[task.Effect.Branch] != "" {
		t.Error("the branch is still there")
	}
	w.costs("0 writes, 1 reads", func() { w.run(task) }) // gone is done
}

func TestABranchWithForeignCommitsIsKept(t *testing.T) {
	w := newWorld(t)
	task := w.task(promotion.KindDeleteBranch)
	task.Effect.Branch, task.Effect.SHA = w.branch()
	tip, err := w.As("octocat").Commit(w.gitops, task.Effect.Branch, map[string]string{"a": "b"}, "By hand")
	must(t, err)
	if r := w.Run(t.Context(), task); !promotion.IsTerminal(r.Err) || !strings.Contains(r.Err.Error(), "was kept") {
		t.Errorf("got %v", r.Err)
	}
	task.Promotion.PullRequest = &promotion.PullRequest{Number: 1, Head: tip, State: "closed"}
	if r := w.Run(t.Context(), task); !promotion.IsTerminal(r.Err) {
		t.Errorf("closed unmerged: %v", r.Err)
	}
	task.Promotion.PullRequest.State = "merged"
	w.run(task) // what was merged is not lost
	if w.Branches(w.gitops)[task.Effect.Branch] != "" {
		t.Error("the branch is still there")
	}
}
