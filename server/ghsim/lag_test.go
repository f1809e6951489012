package ghsim_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-github/v57/github"
)

// Lists know of new things late; the thing itself is there at once.
func TestListsLag(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.SetListLag(2 * time.Second)
	issue, _, err := w.rest.Issues.Create(ctx, "acme", "gitops", &github.IssueRequest{Title: github.String("x")})
	must(t, err)
	_, _, err = w.rest.Issues.CreateComment(ctx, "acme", "gitops", issue.GetNumber(), &github.IssueComment{Body: github.String("a")})
	must(t, err)
	_, _, err = w.rest.Checks.CreateCheckRun(ctx, "acme", "gitops", github.CreateCheckRunOptions{Name: "a", HeadSHA: w.Branches(w.repo)["main"]})
	must(t, err)
	listed := func() (n int) {
		issues, _, err := w.rest.Issues.ListByRepo(ctx, "acme", "gitops", nil)
		must(t, err)
		comments, _, err := w.rest.Issues.ListComments(ctx, "acme", "gitops", issue.GetNumber(), nil)
		must(t, err)
		runs, _, err := w.rest.Checks.ListCheckRunsForRef(ctx, "acme", "gitops", "main", nil)
		must(t, err)
		if runs.GetTotal() != len(runs.CheckRuns) {
			t.Errorf("total %d of %d", runs.GetTotal(), len(runs.CheckRuns))
		}
		return len(issues) + len(comments) + len(runs.CheckRuns)
	}
	w.clock.pass(1900 * time.Millisecond)
	if got := listed(); got != 0 {
		t.Errorf("%d listed too early", got)
	}
	if _, _, err := w.rest.Issues.Get(ctx, "acme", "gitops", issue.GetNumber()); err != nil {
		t.Errorf("the issue itself: %v", err)
	}
	w.clock.pass(100 * time.Millisecond)
	if got := listed(); got != 3 {
		t.Errorf("%d listed after 2 s", got)
	}
}

// A replica that is behind answers 404 to what is new, and what was to what changed.
func TestReadsLag(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	number, err := w.As("octocat").CreateIssue(w.repo, "old", "")
	must(t, err)
	w.SetReadLag(time.Second)
	title := func() string {
		issue, _, err := w.rest.Issues.Get(ctx, "acme", "gitops", number)
		must(t, err)
		return issue.GetTitle()
	}
	w.clock.pass(time.Second)
	title()
	must(t, w.As("octocat").EditIssue(w.repo, number, map[string]any{"title": "new"}))
	if got := title(); got != "old" {
		t.Errorf("at once: %s", got)
	}
	fresh, err := w.As("octocat").CreateIssue(w.repo, "fresh", "")
	must(t, err)
	if got, _, _ := w.send("GET", gitopsPath+"/issues/"+strconv.Itoa(fresh), w.token(), ""); got != 404 {
		t.Errorf("a new issue at once: %d", got)
	}
	w.clock.pass(time.Second)
	if got := title(); got != "new" {
		t.Errorf("a second later: %s", got)
	}
	if got, _, _ := w.send("GET", gitopsPath+"/issues/"+strconv.Itoa(fresh), w.token(), ""); got != 200 {
		t.Errorf("a new issue a second later: %d", got)
	}
}

// Repositories do not know a token at first, neither by REST nor by git.
func TestNewTokensAreUnknown(t *testing.T) {
	w := newWorld(t)
	w.SetTokenLag(time.Second)
	token := w.token()
	if got, _, _ := w.send("GET", gitopsPath, token, ""); got != http.StatusNotFound {
		t.Errorf("at once: %d", got)
	}
	if _, err := w.git(t.TempDir(), "ls-remote", w.cloneURL("x-access-token", token)); err == nil {
		t.Error("git knew it at once")
	}
	w.auth.pass(time.Second)
	if got, _, _ := w.send("GET", gitopsPath, token, ""); got != http.StatusOK {
		t.Errorf("a second later: %d", got)
	}
	w.mustGit(t.TempDir(), "ls-remote", w.cloneURL("x-access-token", token))
}

// Last-Modified does not depend on the token; lists have none.
func TestLastModified(t *testing.T) {
	w := newWorld(t)
	number, err := w.As("octocat").CreateIssue(w.repo, "x", "")
	must(t, err)
	path := gitopsPath + "/issues/" + strconv.Itoa(number)
	_, header, _ := w.send("GET", path, w.token(), "")
	modified := header.Get("Last-Modified")
	if got, _, _ := w.send("GET", path, w.token(), "", "If-Modified-Since", modified); modified == "" || got != 304 {
		t.Errorf("Last-Modified %q with another token: %d", modified, got)
	}
	if got, _, _ := w.send("GET", path, w.token(), "", "If-Modified-Since", modified, "If-None-Match", `"other"`); got != 200 {
		t.Errorf("the ETag decides: %d", got)
	}
	w.clock.pass(2 * time.Second)
	must(t, w.As("octocat").EditIssue(w.repo, number, map[string]any{"title": "y"}))
	if got, _, _ := w.send("GET", path, w.token(), "", "If-Modified-Since", modified); got != 200 {
		t.Errorf("after a change: %d", got)
	}
	if _, header, _ := w.send("GET", gitopsPath+"/issues", w.token(), ""); header.Get("Last-Modified") != "" {
		t.Errorf("a list has Last-Modified %s", header.Get("Last-Modified"))
	}
}
