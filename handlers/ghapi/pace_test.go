package ghapi_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// paced is a pace in front of a GitHub that notes when requests came.
type paced struct {
	t     *testing.T
	pace  http.RoundTripper
	start time.Time
	mu    sync.Mutex
	sent  []time.Duration
}

func newPaced(t *testing.T) *paced {
	p := &paced{t: t, start: time.Now()}
	p.pace = ghapi.NewPace(roundTripper(func(*http.Request) (*http.Response, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sent = append(p.sent, time.Since(p.start))
		return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
	}))
	return p
}

func (p *paced) send(ctx context.Context, method, path string) error {
	req, err := http.NewRequestWithContext(ctx, method, "https://api.github.com"+path, nil)
	must(p.t, err)
	_, err = p.pace.RoundTrip(req)
	return err
}

// within is the most that were sent in any span of that length.
func (p *paced) within(span time.Duration) int {
	slices.Sort(p.sent)
	most := 0
	for i, at := range p.sent {
		n := 0
		for _, other := range p.sent[:i+1] {
			if other > at-span {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// keep sends requests one after the other for a time, each as soon as it may go.
func (p *paced) keep(ctx context.Context, d time.Duration, path string) {
	for time.Since(p.start) < d {
		if until, told := ghapi.PacedUntil(p.send(ctx, http.MethodPost, path)); told {
			time.Sleep(time.Until(until))
		}
	}
}

func TestContentIsMadeWithinGitHubsLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		p.keep(t.Context(), 150*time.Minute, "/repos/acme/gitops/issues/1/comments")
		minute, hour := p.within(time.Minute), p.within(time.Hour)
		if minute > 72 || hour > 450 || hour < 440 {
			t.Errorf("%d in a minute, %d in an hour", minute, hour)
		}
		p = newPaced(t)
		p.keep(ghapi.Urgent(t.Context()), 150*time.Minute, "/repos/acme/gitops/pulls")
		if minute, hour := p.within(time.Minute), p.within(time.Hour); minute > 80 || hour > 500 || hour < 490 {
			t.Errorf("of what people wait for: %d in a minute, %d in an hour", minute, hour)
		}
	})
}

// What the app does by itself leaves room for what people ask for.
func TestPeopleDoNotWaitForTheHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		const comments = "/repos/acme/gitops/issues/1/comments"
		for used := false; !used; {
			until, told := ghapi.PacedUntil(p.send(t.Context(), http.MethodPost, comments))
			if used = time.Until(until) > 10*time.Minute; told && !used {
				time.Sleep(time.Until(until))
			}
		}
		began := time.Now()
		for range 20 {
			must(t, p.send(ghapi.Urgent(t.Context()), http.MethodPost, comments))
		}
		if waited := time.Since(began); waited > 20*time.Second {
			t.Errorf("people waited for %s: more than a second for each write", waited)
		}
	})
}

// Points are counted too: 900 a minute, of which a write takes five.
func TestReadsAndWritesStayWithinThePoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		for time.Since(p.start) < 10*time.Minute {
			if until, told := ghapi.PacedUntil(p.send(t.Context(), http.MethodGet, "/x")); told {
				time.Sleep(time.Until(until))
			}
		}
		if n := p.within(time.Minute); n > 900 || n < 600 {
			t.Errorf("%d reads in a minute", n)
		}
	})
}

// Who would have to wait long is told so at once, and does not give up.
func TestALongWaitIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		var group sync.WaitGroup
		var mu sync.Mutex
		told := 0
		for range 100 {
			group.Go(func() {
				if _, isTold := ghapi.PacedUntil(p.send(t.Context(), http.MethodPatch, "/x")); isTold {
					mu.Lock()
					defer mu.Unlock()
					told++
				}
			})
		}
		group.Wait()
		if waited := time.Since(p.start); told != 40 || waited != 30*time.Second || len(p.sent) != 60 {
			t.Errorf("%d were told to wait, %d were sent within %s", told, len(p.sent), waited)
		}
	})
}

func TestFewRequestsAreUnderWayAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		open, most := 0, 0
		pace := ghapi.NewPace(roundTripper(func(*http.Request) (*http.Response, error) {
			mu.Lock()
			open++
			most = max(most, open)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			open--
			return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
		}))
		var group sync.WaitGroup
		for range 200 {
			group.Go(func() {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.github.com/x", nil)
				must(t, err)
				_, err = pace.RoundTrip(req)
				must(t, err)
			})
		}
		group.Wait()
		if most != 40 {
			t.Errorf("%d at once", most)
		}
	})
}

// The last part of the hourly limit is for people: what runs by itself waits.
func TestTheRestOfTheHourIsKeptForCommands(t *testing.T) {
	w := newWorld(t)
	_, comment := w.commentBy("octocat")
	w.SetRateLimit(w.inst, 40)
	for range 39 {
		_, err := w.Repository(t.Context(), w.repo())
		must(t, err)
		w.ForgetAnswers()
	}
	mark := len(w.Requests())
	_, err := w.Repository(t.Context(), w.repo())
	wait, told := promotion.WaitOf(err)
	if !told || wait < time.Minute || wait > 61*time.Minute || !strings.Contains(err.Error(), "kept for commands") || len(w.Requests()) != mark {
		t.Fatalf("got a wait of %v after %d requests: %v", wait, len(w.Requests())-mark, err)
	}
	task := w.task(promotion.KindReact)
	task.Effect.Comment, task.Effect.Text = comment, "eyes"
	w.run(task)
}

func TestAskersOfALedgerAreUrgent(t *testing.T) {
	for done, want := range map[bool]bool{true: false, false: true} {
		s := &promotion.State{Comments: []*promotion.CommentState{{Done: true}, {Done: done}}}
		if got := ghapi.IsUrgent(ghapi.ForAskers(t.Context(), s)); got != want {
			t.Errorf("answered %v: urgent %v", done, got)
		}
	}
	for kind, want := range map[promotion.Kind]bool{promotion.KindReply: true, promotion.KindPlan: true, promotion.KindPermission: true, promotion.KindDeleteBranch: false, promotion.KindHistory: false} {
		task := promotion.Task{Effect: promotion.Effect{Kind: kind}, Promotion: &promotion.Promotion{Automatic: true}}
		if got := ghapi.IsUrgent(ghapi.ForPerson(t.Context(), task)); got != want {
			t.Errorf("%s: urgent %v", kind, got)
		}
	}
}

// GraphQL says it with a 200.
func TestARateLimitOfGraphQL(t *testing.T) {
	for body, want := range map[string]bool{
		`{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`:                       true,
		`{"errors":[{"message":"You have exceeded a secondary rate limit. Please wait a few minutes"}]}`: true,
		`{"errors":[{"type":"NOT_FOUND","message":"Could not resolve to a node"}]}`:                      false,
		`{"data":{"node":null}}`: false,
	} {
		for path, graphql := range map[string]bool{"/api/graphql": true, "/api/v3/repos/acme/gitops": false} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://github.example.com"+path, nil)
			must(t, err)
			answer := respond(200, body)
			answer.Request = req
			if got := ghapi.Limited(answer); got != (want && graphql) {
				t.Errorf("%s at %s: limited %v", body, path, got)
			}
		}
	}
}

// A token lives for an hour, and what was cached under the last one is asked for
// again: it is neither lost sight of nor believed.
func TestANewTokenReadsWhatIsTrueNow(t *testing.T) {
	w := newWorld(t)
	read := func() promotion.Repo {
		t.Helper()
		got, err := w.Repository(t.Context(), w.repo())
		must(t, err)
		return got
	}
	w.costs("0 writes, 1 reads", func() { read() })
	w.costs("0 writes, 0 reads", func() { read() }) // a 304
	must(t, w.SetArchived(w.gitops, true))
	w.costs("0 writes, 1 reads", func() {
		if read().Idle != "archived" {
			t.Error("what changed is not seen")
		}
	})
	must(t, w.SetArchived(w.gitops, false))
	w.ForgetToken()
	w.costs("0 writes, 1 reads", func() {
		if read().Idle != "" {
			t.Error("under a new token an old answer is given")
		}
	})
	w.costs("0 writes, 0 reads", func() { read() })
}
