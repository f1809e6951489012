package ghapi_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// answers lets GitHub answer the next comment with an error, and says what comes of it.
func (w *world) answers(status int, body string, header ...string) error {
	w.t.Helper()
	once := sync.Once{}
	w.through(func(r *http.Request) (answer *http.Response) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/comments") {
			once.Do(func() { answer = respond(status, body, header...) })
		}
		return answer
	})
	_, err := w.API.Repository(w.t.Context(), w.repo()) // GitHub knows the token
	must(w.t, err)
	return w.comment()
}

// comment answers on an issue.
func (w *world) comment() error {
	task := w.task(promotion.KindReply)
	task.Effect.Number, task.Effect.Text = 1, "Done."
	task.Effect.SentAt = task.Effect.SentAt.Add(-2 * minute)
	return w.Run(w.t.Context(), task).Err
}

func TestRateLimitsAreWaits(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	in := func(d time.Duration) string { return strconv.FormatInt(now.Add(d).Unix(), 10) }
	const secondary = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`
	for name, c := range map[string]struct {
		status int
		body   string
		header []string
		want   time.Duration
	}{
		"primary":                    {403, `{"message":"API rate limit exceeded"}`, []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(90 * time.Second)}, 90 * time.Second},
		"primary as 429":             {429, `{"message":"API rate limit exceeded"}`, []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(90 * time.Second)}, 90 * time.Second},
		"secondary":                  {403, secondary, []string{"Retry-After", "30"}, 30 * time.Second},
		"secondary as 429":           {429, secondary, []string{"Retry-After", "30"}, 30 * time.Second},
		"secondary without a time":   {403, secondary, nil, time.Minute},
		"429 without a time":         {429, `nonsense`, nil, time.Minute},
		"Retry-After before a reset": {403, secondary, []string{"Retry-After", "5", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(time.Hour)}, 5 * time.Second},
		"no time at all":             {429, secondary, []string{"Retry-After", "0"}, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.now = now
			w.commentBy("octocat")
			err := w.answers(c.status, c.body, c.header...)
			wait, told := promotion.WaitOf(err)
			if !told || wait < c.want || wait > c.want+time.Second {
				t.Fatalf("got a wait of %v (%v): %v; want %v", wait, told, err, c.want)
			}
			if !strings.Contains(err.Error(), "until") {
				t.Errorf("the error does not say until when: %v", err)
			}
			if c.want < 3*time.Second {
				return
			}
			// Until then nothing is sent, reads neither.
			mark := len(w.Requests())
			if _, told := promotion.WaitOf(w.comment()); !told {
				t.Error("the next write is not held back")
			}
			if _, err := w.Repository(t.Context(), w.repo()); err == nil {
				t.Error("the next read is not held back")
			}
			if len(w.Requests()) != mark {
				t.Error("something was sent during a rate limit")
			}
			w.now = now.Add(c.want + time.Second)
			must(t, w.comment())
		})
	}
}

// One installation that is limited holds up no other.
func TestARateLimitIsOneInstallationsOwn(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	other, err := w.CreateRepo("octo-org", "other", ghsim.RepoOptions{Files: map[string]string{"a": "b"}})
	must(t, err)
	inst, err := w.Install(w.app.ID, "octo-org", other)
	must(t, err)
	if _, told := promotion.WaitOf(w.answers(429, "{}", "Retry-After", "60")); !told {
		t.Fatal("no wait")
	}
	repo := promotion.Repo{ID: other.ID, Owner: "octo-org", Name: "other", Installation: inst}
	if _, err := w.Repository(t.Context(), repo); err != nil {
		t.Errorf("the other installation: %v", err)
	}
}

// The last request that was allowed is the last that is sent.
func TestTheUsedUpLimitIsKnownBefore(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	w.SetRateLimit(w.inst, 1)
	_, err := w.Repository(t.Context(), w.repo())
	must(t, err)
	mark := len(w.Requests())
	err = w.comment()
	wait, told := promotion.WaitOf(err)
	if !told || wait < time.Minute || wait > 61*time.Minute || len(w.Requests()) != mark {
		t.Errorf("got a wait of %v after %d requests: %v", wait, len(w.Requests())-mark, err)
	}
}

func TestWhatCanBeTriedAgain(t *testing.T) {
	for name, fault := range map[string]ghsim.Fault{
		"a server error":      {Status: 500},
		"a bad gateway":       {Status: 502, Body: "<html>"},
		"a conflict":          {Status: 409, Body: `{"message":"Conflict"}`},
		"bad credentials":     {Status: 401, Body: `{"message":"Bad credentials"}`, Times: 2}, // also to another token
		"a cut connection":    {Cut: true},
		"a lost answer":       {Cut: true, When: ghsim.After},
		"an answer no JSON":   {Status: 201, Body: "{"},
		"a token that failed": {Route: "POST */access_tokens", Status: 500},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.commentBy("octocat")
			if fault.Route == "" {
				fault.Route = "POST */comments"
			}
			w.Fault(fault)
			err := w.comment()
			if _, told := promotion.WaitOf(err); err == nil || told || promotion.IsTerminal(err) {
				t.Errorf("got %v", err)
			}
			must(t, w.comment())
		})
	}
}

func TestWhatCannotHeal(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"gone":    {410, `{"message":"This issue was deleted"}`, "This issue was deleted"},
		"unknown": {404, `{"message":"Not Found"}`, "Not Found"},
		"locked":  {403, `{"message":"Unable to create comment because issue is locked."}`, "issue is locked"},
		"invalid": {422, `{"message":"Validation Failed","errors":[{"field":"body","code":"too_long"}]}`, "body is too long"},
		"custom":  {422, `{"message":"Validation Failed","errors":[{"code":"custom","message":"You cannot"}]}`, "You cannot"},
	} {
		t.Run(name, func(t *testing.T) {
			err := w.answers(c.status, c.body)
			if !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "could not comment on #1") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			if strings.Contains(err.Error(), w.URL()) {
				t.Errorf("the sentence holds an address: %v", err)
			}
		})
	}
}

// isBlocked checks that err is a wait for an event, and says text.
func isBlocked(t *testing.T, err error, text string) {
	t.Helper()
	var missing *promotion.MissingPermission
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), text) || promotion.IsTerminal(err) {
		t.Errorf("got %v; want a wait that says %q", err, text)
	}
}

func TestAMissingPermissionIsNamed(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	fewer := ghapi.Permissions()
	fewer["pull_requests"] = "read"
	must(t, w.SetInstallationPermissions(w.inst, fewer))
	task, _ := w.openTask()
	err := w.Run(t.Context(), task).Err
	isBlocked(t, err, "pull_requests=write")
	isBlocked(t, err, "open the pull request")
	must(t, w.SetInstallationPermissions(w.inst, ghapi.Permissions()))
	w.API = w.newAPI()
	w.run(task)
}

func TestSuspensionAndUninstallation(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	must(t, w.Suspend(w.inst))
	isBlocked(t, w.comment(), "suspended")
	_, err := w.Token(t.Context(), w.inst)
	isBlocked(t, err, "suspended")
	must(t, w.Unsuspend(w.inst))
	must(t, w.comment())
	must(t, w.Suspend(w.inst))
	isBlocked(t, w.comment(), "suspended") // with a token from before
	must(t, w.Unsuspend(w.inst))
	must(t, w.Uninstall(w.inst))
	w.API = w.newAPI()
	isBlocked(t, w.comment(), "not installed")
}

func TestArchivedAndShutOut(t *testing.T) {
	w := newWorld(t)
	w.commentBy("octocat")
	isBlocked(t, w.answers(403, `{"message":"Although you appear to have the correct authorization credentials, the `+"`acme`"+` organization has an IP allow list enabled"}`), "addresses")
	must(t, w.SetArchived(w.gitops, true))
	isBlocked(t, w.comment(), "archived")
}

func TestATokenThatIsRateLimitedIsAWait(t *testing.T) {
	w := newWorld(t)
	w.Fault(ghsim.Fault{Route: "POST */access_tokens", Status: 403, Body: `{"message":"You have exceeded a secondary rate limit"}`})
	if wait, told := promotion.WaitOf(w.comment()); !told || wait < minute {
		t.Errorf("got a wait of %v", wait)
	}
}

func TestACanceledContextEndsIt(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	task := w.task(promotion.KindReply)
	task.Effect.Number = 1
	if err := w.Run(ctx, task).Err; !errors.Is(err, context.Canceled) || promotion.IsTerminal(err) {
		t.Errorf("got %v", err)
	}
}

func TestTokens(t *testing.T) {
	w := newWorld(t)
	first, err := w.Token(t.Context(), w.inst)
	must(t, err)
	second, err := w.Token(t.Context(), w.inst)
	must(t, err)
	if first != second || !strings.HasPrefix(first, "ghs_") {
		t.Error("the token is not kept")
	}
}
