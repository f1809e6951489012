package ghsim_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"
)

func TestStatusIsRefused(t *testing.T) {
	w := newWorld(t)
	sha := w.Branches(w.repo)["main"]
	must(t, w.SetPermission(w.repo, "hubot", "triage"))
	for _, c := range []struct {
		name, who, sha, state, description string
		want                               int
	}{
		{"longest description", "octocat", sha, "success", strings.Repeat("é", 140), 201},
		{"long description", "octocat", sha, "success", strings.Repeat("é", 141), 422},
		{"unknown state", "octocat", sha, "neutral", "", 422},
		{"a branch is no commit", "octocat", "main", "success", "", 422},
		{"unknown commit", "octocat", strings.Repeat("1", 40), "success", "", 422},
		{"no write access", "hubot", sha, "success", "", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := w.As(c.who).SetStatus(w.repo, c.sha, "ci", c.state, c.description)
			if got := refusal(err); c.want != 201 && got != c.want || c.want == 201 && err != nil {
				t.Errorf("%v, want %d", err, c.want)
			}
		})
	}
	w.KeepFew(3, 0)
	for range 2 {
		must(t, w.As("octocat").SetStatus(w.repo, sha, "ci", "pending", ""))
	}
	if err := w.As("octocat").SetStatus(w.repo, sha, "ci", "pending", ""); refusal(err) != 422 {
		t.Errorf("one status too many: %v", err)
	}
	must(t, w.As("octocat").SetStatus(w.repo, sha, "other", "pending", ""))
}

// The newest status of each context counts: one red makes all red, none at all is pending.
func TestCombinedStatus(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	octocat := w.As("octocat")
	sha := w.Branches(w.repo)["main"]
	combined := func() *github.CombinedStatus {
		got, _, err := w.rest.Repositories.GetCombinedStatus(ctx, "acme", "gitops", "main", nil)
		must(t, err)
		return got
	}
	if got := combined(); got.GetState() != "pending" || got.GetTotalCount() != 0 {
		t.Errorf("without any: %s of %d", got.GetState(), got.GetTotalCount())
	}
	for _, step := range []struct{ context, state, want string }{
		{"ci/build", "success", "success"}, {"ci/test", "pending", "pending"}, {"ci/test", "error", "failure"}, {"ci/build", "failure", "failure"},
		{"ci/test", "success", "failure"}, {"ci/build", "success", "success"},
	} {
		must(t, octocat.SetStatus(w.repo, sha, step.context, step.state, ""))
		if got := combined(); got.GetState() != step.want {
			t.Errorf("after %s %s: %s, want %s", step.context, step.state, got.GetState(), step.want)
		}
	}
	if got := combined(); got.GetTotalCount() != 2 || got.Statuses[0].GetContext() != "ci/build" {
		t.Errorf("%d statuses, newest first: %v", got.GetTotalCount(), got.Statuses)
	}
	all, _, err := w.rest.Repositories.ListStatuses(ctx, "acme", "gitops", sha, nil)
	must(t, err)
	if len(all) != 6 || all[0].GetCreator().GetLogin() != "octocat" || len(w.Statuses(w.repo)) != 6 {
		t.Errorf("%d statuses by %s", len(all), all[0].GetCreator().GetLogin())
	}
}

func TestStatusEvent(t *testing.T) {
	w := newWorld(t)
	sha := w.Branches(w.repo)["main"]
	_, err := w.As("octocat").Commit(w.repo, "next", map[string]string{"a": "b"}, "Next")
	must(t, err)
	w.take()
	must(t, w.As("octocat").SetStatus(w.repo, sha, "ci/build", "failure", "1 of 20 failed"))
	got := w.take()
	if len(got) != 1 || got[0].event() != "status" {
		t.Fatalf("%d events", len(got))
	}
	e, err := github.ParseWebHook("status", got[0].body)
	must(t, err)
	s := e.(*github.StatusEvent)
	if s.GetSHA() != sha || s.GetState() != "failure" || s.GetContext() != "ci/build" || len(s.Branches) != 1 || s.Branches[0].GetName() != "main" ||
		s.GetCommit().GetSHA() != sha || s.GetSender().GetLogin() != "octocat" || s.GetDescription() != "1 of 20 failed" {
		t.Errorf("%s", got[0].body)
	}
}

// A check run of another App is heard of by everybody who may; a rerun only by its own App.
func TestChecksOfAnotherApp(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	sha := w.Branches(w.repo)["main"]
	ci, err := w.AddBot("argocd", nil, w.repo)
	must(t, err)
	w.take()
	id, err := ci.StartCheck(w.repo, sha, "argocd/web")
	must(t, err)
	must(t, ci.EndCheck(w.repo, id, "failure"))
	if got := w.events(); !slices.Equal(got, []string{"check_run.created", "check_run.completed", "check_suite.completed"}) {
		t.Errorf("events %v", got)
	}
	must(t, w.As("octocat").RerunCheck(w.repo, id))
	if got := w.events(); len(got) != 0 {
		t.Errorf("we heard of a rerun of another App's check: %v", got)
	}
	suites, _, err := w.rest.Checks.ListCheckSuitesForRef(ctx, "acme", "gitops", sha, &github.ListCheckSuiteOptions{CheckName: github.String("argocd/web")})
	must(t, err)
	if suites.GetTotal() != 1 || suites.CheckSuites[0].GetStatus() != "queued" {
		t.Errorf("the suite of a rerun: %+v", suites)
	}
	if run, _, err := w.rest.Checks.GetCheckRun(ctx, "acme", "gitops", id); err != nil || run.GetConclusion() != "failure" {
		t.Errorf("a rerun alone changed the run: %v %v", run.GetConclusion(), err)
	}
	again, err := ci.Check(w.repo, sha, "argocd/web", "success")
	must(t, err)
	latest, _, err := w.rest.Checks.ListCheckRunsForRef(ctx, "acme", "gitops", sha, nil)
	must(t, err)
	if latest.GetTotal() != 1 || latest.CheckRuns[0].GetID() != again || latest.CheckRuns[0].GetApp().GetSlug() != "argocd" {
		t.Errorf("latest: %+v", latest.CheckRuns)
	}
	must(t, ci.ReopenCheck(w.repo, again))
	if err := w.As("octocat").RerunCheck(w.repo, again); refusal(err) != 422 {
		t.Errorf("rerun of a run in progress: %v", err)
	}
	must(t, ci.SetStatus(w.repo, sha, "argocd/web", "success", "Synced"))
	if got := w.Statuses(w.repo); len(got) != 1 || got[0].Creator != "argocd[bot]" {
		t.Errorf("%+v", got)
	}
	if _, err := ci.Commit(w.repo, "x", map[string]string{"a": "b"}, "No"); err == nil {
		t.Error("a bot pushed without the permission")
	}
}

// GitHub keeps the newest runs of one name in a suite.
func TestOldRunsAreForgotten(t *testing.T) {
	w := newWorld(t)
	w.KeepFew(0, 3)
	sha := w.Branches(w.repo)["main"]
	ci, err := w.AddBot("ci", nil, w.repo)
	must(t, err)
	first, err := ci.Check(w.repo, sha, "build", "failure")
	must(t, err)
	for range 3 {
		_, err := ci.Check(w.repo, sha, "build", "success")
		must(t, err)
	}
	runs := w.CheckRuns(w.repo)
	if len(runs) != 3 || runs[0].ID == first {
		t.Errorf("%d runs, the first is kept: %v", len(runs), runs[0].ID == first)
	}
}
