package ghapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// bot is another App, which reports on the repository.
func (w *world) bot(slug string) ghsim.Bot {
	w.t.Helper()
	bot, err := w.AddBot(slug, nil, w.gitops)
	must(w.t, err)
	return bot
}

// checked makes a check run that is complete.
func (w *world) checked(by ghsim.Bot, sha, name, conclusion string) {
	w.t.Helper()
	_, err := by.Check(w.gitops, sha, name, conclusion)
	must(w.t, err)
}

func (w *world) checksTask(sha string) promotion.Task {
	t := w.task(promotion.KindChecks)
	t.Effect.SHA = sha
	return t
}

// told are check results in short.
func told(checks []promotion.CheckChanged) (out []string) {
	for _, c := range checks {
		kind := "check"
		if c.App == 0 {
			kind = "status"
		}
		out = append(out, fmt.Sprintf("%s %s %q", kind, c.Name, c.Conclusion))
	}
	return out
}

func TestChecksOfACommit(t *testing.T) {
	w := newWorld(t)
	sha := w.Branches(w.gitops)["main"]
	ci, cd := w.bot("ci"), w.bot("argocd")
	w.run(w.checkTask()) // ours does not count
	w.checked(ci, sha, "e2e", "failure")
	w.checked(ci, sha, "e2e", "success") // again
	w.checked(cd, sha, "e2e", "neutral") // of the same name, by another App
	_, err := ci.StartCheck(w.gitops, sha, "load")
	must(t, err)
	for _, state := range []string{"pending", "failure"} {
		must(t, cd.SetStatus(w.gitops, sha, "argocd/web", state, "Degraded"))
	}
	must(t, w.As("octocat").SetStatus(w.gitops, sha, "e2e", "pending", ""))
	_, other := w.branch()
	w.checked(ci, other, "e2e", "failure") // of another commit

	var got promotion.Result
	w.costs("0 writes, 2 reads", func() { got = w.run(w.checksTask(sha)) })
	want := []string{`status argocd/web "failure"`, `status e2e ""`, `check e2e "success"`, `check e2e "neutral"`, `check load ""`}
	if diff := cmp.Diff(want, told(got.Checks)); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	if c := got.Checks[0]; c.Title != "Degraded" || c.SHA != sha || c.ID == 0 || c.At.IsZero() {
		t.Errorf("the status says too little: %+v", c)
	}
	w.costs("0 writes, 0 reads", func() { w.run(w.checksTask(sha)) }) // unchanged is free
}

func TestACommitWithoutChecks(t *testing.T) {
	w := newWorld(t)
	if got := w.run(w.checksTask(w.Branches(w.gitops)["main"])); len(got.Checks) > 0 {
		t.Errorf("got %+v", got.Checks)
	}
}

// More than a page of each.
func TestManyChecks(t *testing.T) {
	w := newWorld(t)
	sha := w.Branches(w.gitops)["main"]
	ci := w.bot("ci")
	for i := range 101 {
		w.checked(ci, sha, fmt.Sprintf("unit %03d", i), "success")
		must(t, ci.SetStatus(w.gitops, sha, fmt.Sprintf("build %03d", i), "success", ""))
	}
	var got promotion.Result
	w.costs("0 writes, 4 reads", func() { got = w.run(w.checksTask(sha)) })
	if len(got.Checks) != 202 {
		t.Errorf("got %d of 202", len(got.Checks))
	}
}

// GitHub lists the latest run of each suite, and an App may have several suites
// on a commit: of those, too, the newest run of a name counts.
func TestRunsOfSeveralSuites(t *testing.T) {
	w := newWorld(t)
	const run = `{"id":%d,"name":"test","head_sha":"abc","status":"completed","conclusion":%q,"completed_at":"2026-11-30T09:00:00Z","app":{"id":4}}`
	w.through(func(r *http.Request) *http.Response {
		if strings.HasSuffix(r.URL.Path, "/check-runs") {
			if f := r.URL.Query().Get("filter"); f != "latest" {
				t.Errorf("asked for %q: every run that ever was may be many pages", f)
			}
			return respond(200, fmt.Sprintf(`{"total_count":2,"check_runs":[`+run+`,`+run+`,`+run+`]}`, 8, "success", 9, "failure", 7, "success"))
		}
		if strings.HasSuffix(r.URL.Path, "/status") {
			return respond(200, `{"state":"pending","statuses":[]}`)
		}
		return nil
	})
	if diff := cmp.Diff([]string{`check test "failure"`}, told(w.run(w.checksTask("abc")).Checks)); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

func TestChecksThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	const unknown = "1111111111111111111111111111111111111111"
	if err := w.Run(t.Context(), w.checksTask(unknown)).Err; err == nil || promotion.IsTerminal(err) {
		t.Errorf("a commit that GitHub may not know yet: %v", err)
	}
	old := w.checksTask(unknown)
	old.Effect.SentAt = old.Effect.SentAt.Add(-2 * minute)
	if err := w.Run(t.Context(), old).Err; !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "could not read the checks of 1111111") {
		t.Errorf("a commit that there is not: %v", err)
	}
	if err := w.Run(t.Context(), w.checksTask("")).Err; !promotion.IsTerminal(err) {
		t.Errorf("no commit: %v", err)
	}
	for _, needed := range []string{"checks", "statuses"} {
		fewer := ghapi.Permissions()
		delete(fewer, needed)
		must(t, w.SetInstallationPermissions(w.inst, fewer))
		w.API = w.newAPI()
		isBlocked(t, w.Run(t.Context(), w.checksTask(w.Branches(w.gitops)["main"])).Err, "needs the permission "+needed+"=read")
	}
}

// What webhooks tell and what is read is the same, so that neither takes the
// other for news.
func TestReadsAgreeWithWebhooks(t *testing.T) {
	w := newWorld(t)
	heard := w.listen()
	sha := w.Branches(w.gitops)["main"]
	ci := w.bot("ci")
	must(t, ci.SetStatus(w.gitops, sha, "build", "error", "No space left"))
	var run struct{ ID int64 }
	must(t, ci.Do("POST", "/repos/acme/gitops/check-runs", map[string]any{
		"name": "e2e", "head_sha": sha, "status": "in_progress", "details_url": "https://ci.example.com/9",
		"output": map[string]any{"title": "3 of 80 done", "summary": "More to come"},
	}, &run))
	for _, conclusion := range []string{"", "action_required"} {
		if conclusion != "" {
			must(t, ci.EndCheck(w.gitops, run.ID, conclusion))
		}
		must(t, w.WaitIdle(t.Context()))
		if diff := cmp.Diff(w.run(w.checksTask(sha)).Checks, heard()); diff != "" {
			t.Errorf("with the conclusion %q (-read +heard):\n%s", conclusion, diff)
		}
	}
}

// listen registers an App that hears of checks and statuses; heard gives what the
// last deliveries about each name say, by name.
func (w *world) listen() (heard func() []promotion.CheckChanged) {
	w.t.Helper()
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w.t.Cleanup(hook.Close)
	key, err := sharedKey()
	must(w.t, err)
	app, err := w.RegisterApp(ghsim.App{
		Slug: "listener", Owner: "acme", WebhookURL: hook.URL, PrivateKey: key,
		Permissions: ghapi.Permissions(), Events: []string{"check_run", "status"},
	})
	must(w.t, err)
	_, err = w.Install(app.ID, "acme", w.gitops)
	must(w.t, err)
	return func() []promotion.CheckChanged {
		last := map[string]promotion.CheckChanged{}
		for _, d := range w.Deliveries() {
			events, err := handlers.Translator{AppID: w.app.ID}.Translate(d.Event, d.GUID, d.Payload)
			must(w.t, err)
			for _, e := range events {
				if c, ok := e.Body.(promotion.CheckChanged); ok {
					last[c.Name] = c
				}
			}
		}
		return slices.SortedFunc(maps.Values(last), func(a, b promotion.CheckChanged) int { return strings.Compare(a.Name, b.Name) })
	}
}
