package dashboard_test

import (
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/server/dashboard"
)

var update = flag.Bool("update", false, "write the golden files")

var volatile = regexp.MustCompile(`(name="token" value="|/-/(?:style|live|icon)\.)[0-9a-f]+("|\.)`)

// golden compares a page with the one that was looked at before.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".html")
	if *update {
		must(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is another page than before (-update writes it): %s", name, diff)
	}
}

func TestPages(t *testing.T) {
	w := newWorld(t, false)
	w.asides = []dashboard.Aside{{Repo: w.repo.ID, Type: "push", GUID: "72d3162e", Reason: "the payload has no ref", At: noon}}
	for i := range 3 { // IDs of the simulator differ from run to run: those of quiet repositories do not show
		repo := w.create([]string{"quiet", "busy", "empty"}[i])
		must(t, w.sim.SetPermission(repo, "octocat", "read"))
		must(t, w.sim.AddToInstallation(w.inst, repo))
		s := fixture(repo, w.inst)
		s.Problems, s.Pipelines["default"].Promotions, s.Pipelines["default"].Stages = nil, nil, nil
		if repo.Name == "busy" {
			s.Pipelines["default"].Promotions = append(s.Pipelines["default"].Promotions, attempt("dev", 0, "running"))
		}
		w.shelf.put(s)
	}
	octocat := w.as("octocat")
	name := "prod." // the promotion with all that one can have
	for _, p := range fixture(w.repo, 1).Pipelines["default"].Promotions {
		if p.Stage == "prod" {
			name = p.Name
		}
	}
	golden(t, "repositories", masked(w, octocat.page("/")))
	golden(t, "repository", masked(w, octocat.page("/r/acme/gitops")))
	golden(t, "promotion", masked(w, octocat.page("/r/acme/gitops/promotions/"+name)))
	golden(t, "missing", masked(w, octocat.get("/r/acme/nothing").body))
	golden(t, "invite", masked(w, w.browse().get("/r/acme/gitops?x=1").body))
	off := httptest.NewRecorder()
	dashboard.Off([]string{"STAGECOACH_PUBLIC_URL", "GITHUB_OAUTH_CLIENT_ID"}, w.sim.URL()).ServeHTTP(off, httptest.NewRequest("GET", "/", nil))
	golden(t, "off", masked(w, off.Body.String()))
}
