package ghsim_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// A former name redirects: reads by 301, writes by 307; the ID always works.
func TestRename(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	w.take()
	renamed, err := w.RenameRepo(w.repo, "deploy")
	must(t, err)
	id := strconv.FormatInt(w.repo.ID, 10)
	token := w.token()
	for _, c := range []struct {
		method, path string
		status       int
		location     string
	}{
		{"GET", "/repos/acme/gitops", 301, "/repositories/" + id},
		{"GET", "/repos/acme/gitops/issues?state=all", 301, "/repositories/" + id + "/issues?state=all"},
		{"PATCH", "/repos/acme/gitops/issues/1", 307, "/repositories/" + id + "/issues/1"},
		{"GET", "/repos/acme/deploy", 200, ""},
	} {
		w.judge.mute()
		status, header, _ := w.send(c.method, "/api/v3"+c.path, token, "{}")
		if status != c.status || header.Get("Location") != with(w.APIURL(), c.location) {
			t.Errorf("%s %s: %d %s", c.method, c.path, status, header.Get("Location"))
		}
	}
	r, _, err := w.rest.Repositories.Get(ctx, "acme", "gitops")
	if err != nil || r.GetName() != "deploy" || r.GetID() != w.repo.ID {
		t.Errorf("following the redirect: %v %v", r, err)
	}
	if status, _, got := w.send("GET", "/api/v3/repositories/"+id, token, ""); status != 200 || got["full_name"] != "acme/deploy" {
		t.Errorf("by ID: %d %v", status, got["full_name"])
	}
	if got := w.events(); !slices.Equal(got, []string{"repository.renamed"}) || renamed.FullName() != "acme/deploy" {
		t.Errorf("%v %+v", got, renamed)
	}
	w.clone("octocat", w.AddUser("octocat")) // git follows a former name too
	if _, err := w.As("octocat").CreateIssue(w.repo, "a handle outlives the name", ""); err != nil {
		t.Error(err)
	}
}

func with(base, path string) string {
	if path == "" {
		return ""
	}
	return base + path
}

func TestArchivedAndDefaultBranch(t *testing.T) {
	w, octocat := newWorld(t), ghsim.Person{}
	octocat = w.As("octocat")
	_, err := octocat.Commit(w.repo, "next", map[string]string{"a": "a"}, "A")
	must(t, err)
	dir := w.clone("octocat", w.AddUser("octocat"))
	w.take()
	must(t, w.SetDefaultBranch(w.repo, "next"))
	if err := w.SetDefaultBranch(w.repo, "nothing"); err == nil {
		t.Error("an unknown branch became the default")
	}
	must(t, w.SetArchived(w.repo, true))
	if _, err := octocat.CreateIssue(w.repo, "x", ""); err == nil || !strings.Contains(err.Error(), "archived") {
		t.Errorf("issue in an archived repository: %v", err)
	}
	if out, err := w.git(dir, "push", "-q", "origin", "HEAD:refs/heads/x"); err == nil {
		t.Errorf("pushed to an archived repository: %s", out)
	}
	must(t, w.SetArchived(w.repo, false))
	if _, err := octocat.CreateIssue(w.repo, "x", ""); err != nil {
		t.Error(err)
	}
	got := w.take()
	if edited := got[0].payload(t); edited["changes"].(map[string]any)["default_branch"].(map[string]any)["from"] != "main" ||
		edited["repository"].(map[string]any)["default_branch"] != "next" {
		t.Errorf("%v", edited["changes"])
	}
	names := []string{}
	for _, r := range got {
		names = append(names, r.payload(t)["action"].(string))
	}
	if !slices.Equal(names, []string{"edited", "archived", "unarchived", "opened"}) {
		t.Errorf("%v", names)
	}
}

func TestPagesGetWhatNothingElseServes(t *testing.T) {
	w := newWorld(t)
	if status, _, _ := w.send("GET", "/acme/gitops", "", ""); status != http.StatusNotFound {
		t.Errorf("without pages: %d", status)
	}
	w.HandlePages(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusTeapot) }))
	for path, want := range map[string]int{"/": 418, "/acme/gitops/pull/1": 418, "/api/graphql": 404, "/api/v3/x": 404, "/rate_limit": 200} {
		w.judge.mute()
		if got, _, _ := w.send("GET", path, "", ""); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

func TestSeveralSimulatorsAreApart(t *testing.T) {
	a := newWorld(t)
	other, err := ghsim.New(ghsim.Options{Dir: t.TempDir()})
	must(t, err)
	defer other.Close()
	if _, found := other.RepoByName("acme/gitops"); found || len(other.Repos()) != 0 {
		t.Error("a repository of another simulator shows")
	}
	if _, err := ghsim.New(ghsim.Options{}); err == nil {
		t.Error("New took no directory")
	}
	if got := a.People(); !slices.Equal(got, []string{"monalisa", "octocat"}) {
		t.Errorf("%v", got)
	}
	if a.As("octocat").Role(a.repo) != "write" || a.As("monalisa").Role(a.repo) != "none" {
		t.Error("roles")
	}
}
