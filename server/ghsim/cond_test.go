package ghsim_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

const gitopsPath = "/api/v3/repos/acme/gitops"

// An unchanged read costs nothing; a new token, another Accept or a change make it a full read again.
func TestConditionalReads(t *testing.T) {
	w := newWorld(t)
	token := w.token()
	_, header, _ := w.send("GET", gitopsPath+"/issues", token, "")
	etag := header.Get("ETag")
	if want := "private, max-age=60, s-maxage=60"; header.Get("Cache-Control") != want || header.Get("Vary") != "Accept, Authorization, Cookie, X-GitHub-OTP" {
		t.Errorf("Cache-Control %q, Vary %q", header.Get("Cache-Control"), header.Get("Vary"))
	}
	mark := w.Mark()
	status, header, _ := w.send("GET", gitopsPath+"/issues", token, "", "If-None-Match", etag)
	if status != http.StatusNotModified || header.Get("ETag") != etag {
		t.Errorf("unchanged: %d %s", status, header.Get("ETag"))
	}
	if got := w.Counts(mark); got != (ghsim.Counts{NotModified: 1}) {
		t.Errorf("counted %+v", got)
	}
	if status, _, _ := w.send("GET", gitopsPath+"/issues", w.token(), "", "If-None-Match", etag); status != 200 {
		t.Errorf("with another token: %d", status)
	}
	if status, _, _ := w.send("GET", gitopsPath+"/issues", token, "", "If-None-Match", etag, "Accept", "application/vnd.github.raw"); status != 200 {
		t.Errorf("with another Accept: %d", status)
	}
	_, err := w.As("octocat").CreateIssue(w.repo, "x", "")
	must(t, err)
	if status, _, _ := w.send("GET", gitopsPath+"/issues", token, "", "If-None-Match", etag); status != 200 {
		t.Errorf("after a change: %d", status)
	}
}

func TestRateLimit(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.SetRateLimit(w.inst, 2)
	token := w.token()
	for n := 1; n <= 2; n++ {
		_, header, _ := w.send("GET", gitopsPath, token, "")
		if header.Get("X-RateLimit-Used") != strconv.Itoa(n) || header.Get("X-RateLimit-Remaining") != strconv.Itoa(2-n) ||
			header.Get("X-RateLimit-Limit") != "2" || header.Get("X-RateLimit-Resource") != "core" {
			t.Errorf("request %d: %v", n, header)
		}
	}
	_, _, err := w.rest.Repositories.Get(ctx, "acme", "gitops")
	var limited *github.RateLimitError
	if !errors.As(err, &limited) {
		t.Fatalf("third request: %v", err)
	}
	if wait := limited.Rate.Reset.Sub(w.clock.read()); wait < 59*time.Minute || wait > time.Hour {
		t.Errorf("reset in %v", wait)
	}
	if _, _, err := w.rest.RateLimit.Get(ctx); err != nil {
		t.Errorf("asking for the rate is free: %v", err)
	}
	w.clock.pass(time.Hour)
	if status, _, _ := w.send("GET", gitopsPath, w.token(), ""); status != 200 {
		t.Errorf("an hour later: %d", status)
	}
}

func TestCountsAreExact(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	token := w.token()
	var mu sync.Mutex
	var seen []string
	w.OnRequest(func(r ghsim.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Route)
	})
	mark := w.Mark()
	_, _, err := w.rest.Repositories.Get(ctx, "acme", "gitops") // and a token for go-github, which is not counted
	must(t, err)
	_, _, err = w.rest.Issues.Create(ctx, "acme", "gitops", &github.IssueRequest{Title: github.String("x")})
	must(t, err)
	_, err = w.As("octocat").Comment(w.repo, 1, "a person's requests are no counts of ours")
	must(t, err)
	dir := w.clone("x-access-token", token) // git asks for the refs by a POST of its own
	w.mustGit(dir, "push", "-q", "origin", "HEAD:refs/heads/copy")
	if _, err := w.git(dir, "clone", "-q", w.cloneURL("x-access-token", "wrong"), t.TempDir()); err == nil {
		t.Error("cloned with a wrong token")
	}
	if got, want := w.Counts(mark), (ghsim.Counts{Reads: 1, Writes: 1, Fetches: 2, Pushes: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != len(w.Requests()[mark:]) || seen[0] != "POST /app/installations/{installation_id}/access_tokens" || seen[1] != "GET /repos/{owner}/{repo}" {
		t.Errorf("watched %v", seen)
	}
	one := w.Requests()[int(mark)+2]
	if one.Login != "stagecoach[bot]" || one.Installation != w.inst || one.Repository != w.repo.ID || one.Status != 201 || !one.Counted {
		t.Errorf("%+v", one)
	}
}

func TestPaging(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	for range 5 {
		_, err := w.As("octocat").CreateIssue(w.repo, "x", "")
		must(t, err)
	}
	var numbers []int
	opts := &github.IssueListByRepoOptions{ListOptions: github.ListOptions{PerPage: 2}}
	for pages := 1; ; pages++ {
		issues, resp, err := w.rest.Issues.ListByRepo(ctx, "acme", "gitops", opts)
		must(t, err)
		if resp.LastPage != 3 && pages < 3 || resp.FirstPage != 1 && pages > 1 {
			t.Errorf("page %d: first %d, last %d", pages, resp.FirstPage, resp.LastPage)
		}
		for _, i := range issues {
			numbers = append(numbers, i.GetNumber())
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	if len(numbers) != 5 || numbers[0] != 5 || numbers[4] != 1 {
		t.Errorf("got %v", numbers)
	}
}
