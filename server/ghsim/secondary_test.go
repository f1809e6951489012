package ghsim_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// Content is limited by the minute and by the hour, reads are not; the client is told how long to wait.
func TestContentLimit(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.SetSecondary(ghsim.Secondary{ContentPerMinute: 2, ContentPerHour: 3})
	create := func() error {
		_, _, err := w.rest.Issues.Create(ctx, "acme", "gitops", &github.IssueRequest{Title: github.String("x")})
		w.rest, w.jwt = w.clients(w.inst) // a client that was refused sends nothing for a while
		return err
	}
	wait := func(err error) time.Duration {
		t.Helper()
		var limited *github.AbuseRateLimitError
		if !errors.As(err, &limited) || limited.RetryAfter == nil || !strings.Contains(limited.Message, "blocked from content creation") {
			t.Fatalf("%v, want a secondary limit", err)
		}
		return *limited.RetryAfter
	}
	must(t, create())
	w.clock.pass(10 * time.Second)
	must(t, create())
	mark := w.Mark()
	if got := wait(create()); got != 50*time.Second {
		t.Errorf("wait %s, want 50 s: until the first is a minute old", got)
	}
	if got := w.Counts(mark); got.Writes != 0 {
		t.Errorf("a refused request was charged: %+v", got)
	}
	if _, _, err := w.rest.Repositories.Get(ctx, "acme", "gitops"); err != nil {
		t.Errorf("a read: %v", err)
	}
	w.clock.pass(50 * time.Second)
	must(t, create())
	w.clock.pass(2 * time.Minute)
	if got := wait(create()); got != 57*time.Minute {
		t.Errorf("wait %s, want 57 min: until the first is an hour old", got)
	}
	if _, err := w.As("octocat").CreateIssue(w.repo, "somebody else", ""); err != nil {
		t.Errorf("the limit of one hit another: %v", err)
	}
}

func TestPointsAndEdits(t *testing.T) {
	w := newWorld(t)
	token := w.token()
	n, err := w.As("octocat").CreateIssue(w.repo, "x", "")
	must(t, err)
	w.SetSecondary(ghsim.Secondary{PointsPerMinute: 11})
	for range 6 {
		if got, _, _ := w.send("GET", gitopsPath, token, ""); got != 200 {
			t.Fatalf("read: %d", got)
		}
	}
	if got, _, _ := w.send("PATCH", gitopsPath+"/issues/1", token, `{"title":"y"}`); got != 200 {
		t.Fatalf("write: %d", got)
	}
	w.SetLimitAnswers(ghsim.LimitAnswers{Status: http.StatusTooManyRequests, NoRetryAfter: true})
	got, header, _ := w.send("GET", gitopsPath, token, "")
	if got != 429 || header.Get("Retry-After") != "" || header.Get("X-RateLimit-Remaining") == "0" {
		t.Errorf("point 12: %d %v", got, header)
	}
	w.clock.pass(time.Minute)
	w.SetSecondary(ghsim.Secondary{ContentPerMinute: 1, EditsCount: true})
	must(t, w.As("octocat").EditIssue(w.repo, n, map[string]any{"title": "z"}))
	if err := w.As("octocat").EditIssue(w.repo, n, map[string]any{"title": "zz"}); refusal(err) != 429 {
		t.Errorf("a second edit: %v", err)
	}
}

// Too many requests at once: the one too many is refused while the others are under way.
func TestConcurrencyLimit(t *testing.T) {
	w := newWorld(t)
	w.SetSecondary(ghsim.Secondary{Concurrent: 2})
	token, first := w.token(), make(chan struct{}, 2)
	w.Fault(ghsim.Fault{Route: "GET /repos/{owner}/{repo}", Slow: time.Hour, Times: 2})
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for range 2 {
		group.Add(1)
		go func() {
			defer group.Done()
			req, err := http.NewRequestWithContext(ctx, "GET", w.server.URL+gitopsPath, nil)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "token "+token)
			first <- struct{}{}
			if resp, err := w.conn.RoundTrip(req); err == nil {
				resp.Body.Close()
			}
		}()
	}
	<-first
	<-first
	deadline := time.Now().Add(10 * time.Second)
	for {
		got, _, _ := w.send("GET", gitopsPath+"/issues", token, "")
		if got == 403 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the third at once was never refused")
		}
	}
	cancel()
	group.Wait()
	for {
		if got, _, _ := w.send("GET", gitopsPath+"/issues", token, ""); got == 200 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("refused though nothing else is under way")
		}
	}
}

func TestBlockedForAWhile(t *testing.T) {
	w := newWorld(t)
	token := w.token()
	w.BlockFor(w.inst, 90*time.Second)
	w.clock.pass(30 * time.Second)
	got, header, body := w.send("GET", gitopsPath, token, "")
	if got != 403 || header.Get("Retry-After") != "60" || !strings.HasPrefix(body["message"].(string), "You have exceeded a secondary rate limit") {
		t.Errorf("%d %v %v", got, header, body)
	}
	w.clock.pass(time.Minute)
	if got, _, _ := w.send("GET", gitopsPath, token, ""); got != 200 {
		t.Errorf("after it: %d", got)
	}
}

// The primary limit may come as a 429, and in a 200 of GraphQL, which has its own.
func TestPrimaryLimitForms(t *testing.T) {
	w := newWorld(t)
	token := w.token()
	w.SetLimitAnswers(ghsim.LimitAnswers{Status: 429})
	w.SetRateLimit(w.inst, 0)
	if got, header, _ := w.send("GET", gitopsPath, token, ""); got != 429 || header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("%d %v", got, header)
	}
	query := `{"query": "{ viewer { login } }"}`
	if got, _, body := w.send("POST", "/api/graphql", token, query); got != 200 || body["errors"] != nil {
		t.Errorf("GraphQL has its own limit: %d %v", got, body)
	}
	w.SetGraphQLLimit(w.inst, 0)
	got, _, body := w.send("POST", "/api/graphql", token, query)
	errs, _ := body["errors"].([]any)
	if got != 200 || len(errs) != 1 || errs[0].(map[string]any)["type"] != "RATE_LIMITED" {
		t.Errorf("%d %v", got, body)
	}
}

func TestWhatGitHubDocuments(t *testing.T) {
	if got := ghsim.GitHubSecondary(); got != (ghsim.Secondary{ContentPerMinute: 80, ContentPerHour: 500, PointsPerMinute: 900, Concurrent: 100}) {
		t.Errorf("%+v", got)
	}
}

// Duplicates, delays and another order change when an event comes, never what it says.
func TestWebhookOrder(t *testing.T) {
	w := newWorld(t)
	octocat := w.As("octocat")
	w.take()
	stop := w.DuplicateWebhooks(func(d ghsim.Delivery) bool { return d.Event == "issues" })
	_, err := octocat.CreateIssue(w.repo, "twice", "")
	must(t, err)
	got := w.take()
	if len(got) != 2 || got[0].header.Get("X-GitHub-Delivery") != got[1].header.Get("X-GitHub-Delivery") {
		t.Errorf("%d deliveries", len(got))
	}
	stop()
	stop = w.DelayWebhooks(50*time.Millisecond, func(d ghsim.Delivery) bool { return d.Event == "issues" })
	began := time.Now()
	n, err := octocat.CreateIssue(w.repo, "late", "")
	must(t, err)
	if got := w.events(); !slices.Equal(got, []string{"issues.opened"}) || time.Since(began) < 50*time.Millisecond {
		t.Errorf("delayed: %v after %s", got, time.Since(began))
	}
	stop()
	overtaken(t, w, n)
	w.PauseWebhooks()
	var want []string
	for range 6 {
		_, err := octocat.Comment(w.repo, n, "x")
		must(t, err)
		must(t, octocat.EditIssue(w.repo, n, map[string]any{"title": time.Now().String()}))
		want = append(want, "issue_comment.created", "issues.edited")
	}
	w.ShuffleWebhooks(7)
	w.ResumeWebhooks()
	all := w.events()
	if slices.Equal(all, want) {
		t.Error("the order stayed")
	}
	slices.Sort(all)
	slices.Sort(want)
	if !slices.Equal(all, want) {
		t.Errorf("shuffled: %v", all)
	}
}

// overtaken holds an event back while another one comes.
func overtaken(t *testing.T, w *world, number int) {
	t.Helper()
	release := w.HoldWebhooks(func(d ghsim.Delivery) bool { return d.Event == "issues" })
	must(t, w.As("octocat").EditIssue(w.repo, number, map[string]any{"title": "held"}))
	_, err := w.As("octocat").Comment(w.repo, number, "overtakes")
	must(t, err)
	before := len(w.Deliveries())
	for deadline := time.Now().Add(20 * time.Second); len(w.Deliveries()) == before && w.Deliveries()[before-1].Event != "issue_comment"; {
		if time.Now().After(deadline) {
			t.Fatal("the comment's event never came")
		}
		runtime.Gosched()
	}
	release()
	if got := w.events(); !slices.Equal(got, []string{"issue_comment.created", "issues.edited"}) {
		t.Errorf("held back: %v", got)
	}
}

// Any event can be sent, and one that is too large is not.
func TestAnyEvent(t *testing.T) {
	w := newWorld(t)
	w.take()
	w.SendEvent(w.repo, "octocat", "registry_package", "published", map[string]any{"registry_package": map[string]any{"name": "web"}})
	w.SendEvent(w.repo, "octocat", "push", "", map[string]any{"commits": strings.Repeat("x", 26<<20)})
	w.SendEvent(w.repo, "octocat", "sprockets", "whirred", nil)
	if got := w.events(); !slices.Equal(got, []string{"registry_package.published", "sprockets.whirred"}) {
		t.Errorf("%v", got)
	}
}
