package dashboard_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/dashboard"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// What a person may not see is answered like what is not there, and costs the same.
func TestOthersRepositoriesAreInvisible(t *testing.T) {
	w := newWorld(t, false)
	secret := w.create("secret") // the App is there, monalisa is not
	must(t, w.sim.AddToInstallation(w.inst, secret))
	w.shelf.put(fixture(secret, w.inst))
	outside := w.create("outside") // monalisa is there, the App is not; it was once
	must(t, w.sim.SetPermission(outside, "monalisa", "admin"))
	w.shelf.put(fixture(outside, w.inst))
	plain := w.create("plain") // both are there, but no pipeline
	must(t, w.sim.SetPermission(plain, "monalisa", "read"))
	must(t, w.sim.AddToInstallation(w.inst, plain))
	w.shelf.entries[plain.ID] = store.Entry{Repo: fixture(plain, w.inst).Repo}
	monalisa := w.as("monalisa")
	for _, rest := range []string{"", "/live", "/pipelines/default", "/promotions/" + waiting().Name, "/promotions/x"} {
		nothing := monalisa.get("/r/acme/not-there" + rest)
		for _, name := range []string{"secret", "outside", "plain"} {
			got := monalisa.get("/r/acme/" + name + rest)
			if got.StatusCode != http.StatusNotFound || got.body != nothing.body || len(got.Header) != len(nothing.Header) {
				t.Errorf("%s%s: %d, and another page than for what is not there: %s", name, rest, got.StatusCode, textOf(got.body))
			}
		}
	}
	if text := textOf(monalisa.page("/")); strings.Contains(text, "secret") || strings.Contains(text, "outside") || strings.Contains(text, "plain") || !strings.Contains(text, "acme/gitops") {
		t.Errorf("the list shows %s", text)
	}
	for _, name := range []string{"secret", "not-there"} { // asked about once each, by the person's own token
		if n := w.asked("/repos/acme/" + name); n != 1 {
			t.Errorf("GitHub was asked %d times about %s", n, name)
		}
	}
	for _, r := range w.sim.Requests() {
		if strings.HasPrefix(r.Path, "/repos/") && r.Installation != 0 {
			t.Errorf("%s was asked with the App's rights", r.Path)
		}
	}
	if got := monalisa.get("/r/acme/gitops/promotions/prod.none"); got.StatusCode != http.StatusNotFound {
		t.Errorf("a promotion that is not there: %d", got.StatusCode)
	}
	if got := monalisa.get("/r/acme/gitops/pipelines/none"); got.StatusCode != http.StatusNotFound {
		t.Errorf("a pipeline that is not there: %d", got.StatusCode)
	}
}

// Names that are none never get to GitHub.
func TestOddNamesAreNotAsked(t *testing.T) {
	w := newWorld(t, false)
	octocat := w.as("octocat")
	for _, path := range []string{"/r/acme/%2e%2e", "/r/acme/..%2f..%2fuser", "/r/a%3fb/c", "/r/acme/a%20b", "/r/acme/" + strings.Repeat("x", 101), "/r/acme/git%00ops", "/r/acme/%C3%A4"} {
		if got := octocat.get(path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	if n := w.asked("/repos/"); n != 0 {
		t.Errorf("GitHub was asked %d times", n)
	}
}

// An answer is believed for two minutes, and asked for again conditionally.
func TestWhoLosesAccessLosesIt(t *testing.T) {
	w := newWorld(t, false)
	monalisa := w.as("monalisa")
	for range 5 {
		monalisa.page("/r/acme/gitops")
	}
	if n := w.asked("/repos/acme/gitops"); n != 1 {
		t.Errorf("GitHub was asked %d times for five pages", n)
	}
	w.clock.pass(3 * time.Minute)
	monalisa.page("/r/acme/gitops")
	unchanged := 0
	for _, r := range w.sim.Requests() {
		if r.Status == http.StatusNotModified {
			unchanged++
		}
	}
	if unchanged != 1 {
		t.Errorf("%d answers were “not modified”, which costs nothing", unchanged)
	}
	must(t, w.sim.SetPermission(w.repo, "monalisa", "none"))
	monalisa.page("/r/acme/gitops") // still believed
	w.clock.pass(3 * time.Minute)
	if got := monalisa.get("/r/acme/gitops"); got.StatusCode != http.StatusNotFound {
		t.Errorf("after three minutes without access: %d", got.StatusCode)
	}
	must(t, w.sim.SetPermission(w.repo, "monalisa", "read"))
	if got := monalisa.get("/r/acme/gitops"); got.StatusCode != http.StatusNotFound {
		t.Error("a no is not believed: who may not see costs a request each time")
	}
	w.clock.pass(3 * time.Minute)
	monalisa.page("/r/acme/gitops")
}

// What one person may see says nothing about another, in the same process.
func TestAnswersArePersonal(t *testing.T) {
	w := newWorld(t, false)
	w.as("octocat").page("/r/acme/gitops")
	if got := w.as("hubot").get("/r/acme/gitops"); got.StatusCode != http.StatusNotFound {
		t.Errorf("hubot, who has no role: %d", got.StatusCode)
	}
}

func TestRenamedRepositoriesAreFound(t *testing.T) {
	w := newWorld(t, false)
	octocat := w.as("octocat")
	_, err := w.sim.RenameRepo(w.repo, "deploys")
	must(t, err)
	w.shelf.put(fixture(ghsim.Repo{ID: w.repo.ID, Owner: "acme", Name: "deploys"}, w.inst))
	for _, name := range []string{"gitops", "deploys"} {
		if page := octocat.page("/r/acme/" + name); !strings.Contains(page, "<h1>acme/deploys</h1>") {
			t.Errorf("%s: %s", name, textOf(page))
		}
	}
	again, err := w.sim.CreateRepo("acme", "gitops", ghsim.RepoOptions{Private: true, Files: map[string]string{"a": "b"}})
	must(t, err)
	must(t, w.sim.SetPermission(again, "octocat", "write"))
	w.clock.pass(3 * time.Minute)
	if got := octocat.get("/r/acme/gitops"); got.StatusCode != http.StatusNotFound {
		t.Errorf("another repository of the former name: %d %s", got.StatusCode, textOf(got.body))
	}
	w.shelf.put(fixture(w.repo, w.inst)) // and while the index does not know of the new name yet
	if got := octocat.get("/r/acme/gitops"); got.StatusCode != http.StatusNotFound {
		t.Errorf("another repository, by the name that the index still has: %d %s", got.StatusCode, textOf(got.body))
	}
}

func TestWhenGitHubDoesNotAnswer(t *testing.T) {
	w := newWorld(t, false)
	octocat := w.as("octocat")
	fault := func(f ghsim.Fault) { w.sim.Fault(f) }
	fault(ghsim.Fault{Route: "GET /repos/{owner}/{repo}", Status: 502, Times: 1})
	got := octocat.get("/r/acme/gitops")
	if got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.body, "promotions go on without it") {
		t.Errorf("502: %d %s", got.StatusCode, textOf(got.body))
	}
	octocat.page("/r/acme/gitops") // a failure is not remembered
	for name, f := range map[string]ghsim.Fault{
		"429": {Status: 429}, "to come back later": {Status: 403, Header: http.Header{"Retry-After": {"60"}}}, "by its words": {Status: 403, Body: `{"message":"You have exceeded a secondary rate limit"}`},
	} {
		w.clock.pass(3 * time.Minute)
		f.Route = "GET /repos/{owner}/{repo}"
		fault(f)
		got := octocat.get("/r/acme/gitops")
		if got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(textOf(got.body), "limits your requests") {
			t.Errorf("%s: %d %s", name, got.StatusCode, textOf(got.body))
		}
		octocat.page("/r/acme/gitops")
	}
}

func TestStatesThatCannotBeRead(t *testing.T) {
	w := newWorld(t, false)
	octocat := w.as("octocat")
	w.shelf.broken = store.ErrNewer
	if got := octocat.get("/r/acme/gitops"); got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.body, "newer Stagecoach") {
		t.Errorf("newer: %d %s", got.StatusCode, textOf(got.body))
	}
	if text := textOf(octocat.page("/")); !strings.Contains(text, "acme/gitops") || !strings.Contains(text, "cannot be read") {
		t.Errorf("the list: %s", text)
	}
	w.shelf.broken = errors.New("secret of the store: nats://user:pass@host")
	if got := octocat.get("/r/acme/gitops"); got.StatusCode != http.StatusServiceUnavailable || strings.Contains(got.body, "nats://") {
		t.Errorf("broken: %d %s", got.StatusCode, textOf(got.body))
	}
}

// Why an event was set aside is for who may push.
func TestAsideReasons(t *testing.T) {
	w := newWorld(t, false)
	w.asides = []dashboard.Aside{
		{Repo: w.repo.ID, Type: "push", GUID: "guid-1", Reason: "an inner reason", At: noon}, {Repo: w.repo.ID + 1, Type: "push", GUID: "guid-2", Reason: "of another", At: noon},
	}
	for login, sees := range map[string]bool{"octocat": true, "monalisa": false} {
		page := w.as(login).page("/r/acme/gitops")
		if !strings.Contains(page, "guid-1") || strings.Contains(page, "guid-2") || strings.Contains(page, "an inner reason") != sees {
			t.Errorf("%s sees %s", login, textOf(page))
		}
	}
}

// A list reads the states that have changed, and no others.
func TestListsReadWhatChanged(t *testing.T) {
	w := newWorld(t, false)
	octocat := w.as("octocat")
	octocat.page("/")
	before := w.shelf.loads
	octocat.page("/")
	if w.shelf.loads != before {
		t.Errorf("%d states were read for an unchanged list", w.shelf.loads-before)
	}
	s := fixture(w.repo, w.inst)
	s.Problems = nil
	w.shelf.put(s)
	if page := octocat.page("/"); strings.Contains(page, "a team that is not there") {
		t.Error("the list shows the state of before")
	}
}
