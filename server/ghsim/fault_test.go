package ghsim_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

const createIssueRoute = "POST /repos/{owner}/{repo}/issues"

// A fault strikes before or after the effect, with an answer or by cutting the connection, as often as asked.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault   ghsim.Fault
		status  int // of the error; 0: the connection broke
		effect  bool
		counted bool
	}{
		"answer before": {ghsim.Fault{Route: createIssueRoute}, 500, false, true},
		"answer after":  {ghsim.Fault{Route: createIssueRoute, When: ghsim.After, Status: 502}, 502, true, true},
		"cut before":    {ghsim.Fault{Route: "POST */issues", Cut: true}, 0, false, false},
		"cut after":     {ghsim.Fault{Match: titled("x"), When: ghsim.After, Cut: true}, 0, true, true},
		"rate limit": {ghsim.Fault{Route: createIssueRoute, Status: 403, Header: http.Header{"Retry-After": {"60"}},
			Body: `{"message":"You have exceeded a secondary rate limit.","documentation_url":"https://docs.github.com/rest/overview#secondary-rate-limits"}`}, 403, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.judge.mute()
			mark := w.Mark()
			w.Fault(c.fault)
			err := w.createIssue("x")
			if err == nil || statusOfAny(err) != c.status {
				t.Errorf("%T %v", err, err)
			}
			if got := len(w.Issues(w.repo)); got == 1 != c.effect {
				t.Errorf("%d issues", got)
			}
			requests := w.Requests()[mark:]
			last := requests[len(requests)-1]
			if last.Counted != c.counted || last.Cut != c.fault.Cut {
				t.Errorf("%+v", last)
			}
			if err := w.createIssue("x"); err != nil && statusOfAny(err) != 403 {
				t.Errorf("the fault struck twice: %v", err)
			}
		})
	}
}

func titled(title string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		body, _ := io.ReadAll(r.Body)
		return strings.Contains(string(body), `"title":"`+title+`"`)
	}
}

func (w *world) createIssue(title string) error {
	_, _, err := w.rest.Issues.Create(context.Background(), "acme", "gitops", &github.IssueRequest{Title: &title})
	return err
}

func statusOfAny(err error) int {
	if limited, is := err.(*github.AbuseRateLimitError); is {
		return limited.Response.StatusCode
	}
	return status(err)
}

func TestFaultsLastAsAsked(t *testing.T) {
	w := newWorld(t)
	w.judge.mute()
	w.Fault(ghsim.Fault{Route: createIssueRoute, Times: 2})
	remove := w.Fault(ghsim.Fault{Route: createIssueRoute, Times: -1, Status: 503})
	var got []int
	for range 4 {
		got = append(got, status(w.createIssue("x")))
	}
	if got[0] != 500 || got[1] != 500 || got[2] != 503 || got[3] != 503 {
		t.Errorf("%v", got)
	}
	remove()
	must(t, w.createIssue("x"))
}

func TestGitFaults(t *testing.T) {
	w := newWorld(t)
	dir := w.clone("octocat", w.AddUser("octocat"))
	w.Fault(ghsim.Fault{Route: "POST /{owner}/{repo}/git-receive-pack", Status: 503})
	if out, err := w.git(dir, "push", "-q", "origin", "HEAD:refs/heads/a"); err == nil {
		t.Errorf("the push went through: %s", out)
	}
	w.Fault(ghsim.Fault{Route: "POST */git-receive-pack", When: ghsim.After, Cut: true})
	if out, err := w.git(dir, "push", "-q", "origin", "HEAD:refs/heads/b"); err == nil {
		t.Errorf("the push was answered: %s", out)
	}
	if got := w.Branches(w.repo); got["a"] != "" || got["b"] == "" {
		t.Errorf("%v", got)
	}
	w.mustGit(dir, "push", "-q", "origin", "HEAD:refs/heads/c")
}
