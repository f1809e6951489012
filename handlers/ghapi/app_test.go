package ghapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestAppIsReadOnce(t *testing.T) {
	w := newWorld(t)
	mark := len(w.Requests())
	for range 2 {
		info, err := w.App(t.Context())
		must(t, err)
		if info.ID != w.app.ID || info.Slug != "stagecoach" || info.BotLogin != "stagecoach[bot]" || info.Name == "" {
			t.Errorf("we are %+v", info)
		}
	}
	if n := len(w.Requests()) - mark; n != 1 {
		t.Errorf("took %d requests", n)
	}
}

func TestAKeyOfAnotherApp(t *testing.T) {
	w := newWorld(t)
	w.opts.AppID++
	if _, err := w.newAPI().App(t.Context()); err == nil {
		t.Error("the key of another App was taken")
	}
}

func TestInstallations(t *testing.T) {
	w := newWorld(t)
	other, err := w.CreateRepo("octo-org", "other", ghsim.RepoOptions{Files: map[string]string{"a": "b"}})
	must(t, err)
	second, err := w.Install(w.app.ID, "octo-org", other)
	must(t, err)
	must(t, w.Suspend(second))
	got, err := w.Installations(t.Context())
	must(t, err)
	want := []ghapi.Installation{
		{ID: w.inst, Account: "acme", Permissions: ghapi.Permissions()},
		{ID: second, Account: "octo-org", Suspended: true, Permissions: ghapi.Permissions()},
	}
	if got[0].ID == second {
		got[0], got[1] = got[1], got[0]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("installations (-want +got):\n%s", diff)
	}
}

func TestRepositories(t *testing.T) {
	w := newWorld(t)
	for name, opts := range map[string]ghsim.RepoOptions{"no-issues": {NoIssues: true}, "old": {}} {
		repo, err := w.CreateRepo("acme", name, opts)
		must(t, err)
		must(t, w.AddToInstallation(w.inst, repo))
		if name == "old" {
			must(t, w.SetArchived(repo, true))
		}
	}
	var got []promotion.Repo
	w.costs("0 writes, 1 reads", func() {
		var err error
		got, err = w.Repositories(t.Context(), w.inst)
		must(t, err)
	})
	named := map[string]promotion.Repo{}
	for _, r := range got {
		named[r.Name] = r
	}
	if len(got) != 3 || named["gitops"] != w.repo() || !named["no-issues"].NoIssues || named["old"].Idle != "archived" || named["no-issues"].Idle != "" {
		t.Errorf("repositories: %+v", got)
	}
}

func TestRepositoriesComeInPages(t *testing.T) {
	w := newWorld(t)
	var asked []string
	w.through(func(r *http.Request) *http.Response {
		if r.URL.Path != "/api/v3/installation/repositories" {
			return nil
		}
		asked = append(asked, r.URL.RawQuery)
		if r.URL.Query().Get("page") == "2" {
			return respond(200, `{"repositories":[{"id":2,"fork":true,"owner":{"login":"acme"},"name":"b"}]}`)
		}
		next := "<" + w.APIURL() + `/installation/repositories?per_page=100&page=2>; rel="next"`
		return respond(200, `{"repositories":[{"id":1,"owner":{"login":"acme"},"name":"a"}]}`, "Link", next)
	})
	got, err := w.Repositories(t.Context(), w.inst)
	must(t, err)
	want := []promotion.Repo{
		{ID: 1, Owner: "acme", Name: "a", Installation: w.inst}, {ID: 2, Owner: "acme", Name: "b", Installation: w.inst, Idle: "fork"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("repositories (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"per_page=100", "page=2&per_page=100"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestRepositoryByID(t *testing.T) {
	w := newWorld(t)
	before := w.repo()
	_, err := w.RenameRepo(w.gitops, "deployments")
	must(t, err)
	got, err := w.Repository(t.Context(), before)
	must(t, err)
	before.Name = "deployments"
	if got != before {
		t.Errorf("got %+v", got)
	}
	must(t, w.RemoveFromInstallation(w.inst, w.gitops))
	if got, err := w.Repository(t.Context(), before); err == nil {
		t.Errorf("a repository that the app does not see: %+v", got)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	w := newWorld(t)
	for want, spoil := range map[string]func(*ghapi.Options){
		"GITHUB_V3_API_URL":         func(o *ghapi.Options) { o.V3URL = "api.github.com" },
		"GITHUB_APP_INTEGRATION_ID": func(o *ghapi.Options) { o.AppID = 0 },
		"GITHUB_APP_PRIVATE_KEY":    func(o *ghapi.Options) { o.PrivateKey = nil },
		"private key":               func(o *ghapi.Options) { o.PrivateKey = []byte("no key") },
	} {
		opts := w.opts
		spoil(&opts)
		if _, err := ghapi.New(opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestSameRepository(t *testing.T) {
	for url, want := range map[string]bool{
		"https://github.com/acme/gitops.git":            true,
		"https://GitHub.com/Acme/GitOps/":               true,
		"https://x-access-token@github.com/acme/gitops": true,
		"git@github.com:acme/gitops.git":                true,
		"ssh://git@github.com:22/acme/gitops":           true,
		"acme/gitops":                                   true,
		"https://github.com/acme/other":                 false,
		"https://example.com/acme/gitops":               false,
		"git@example.com:acme/gitops.git":               false,
		"https://github.com/acme/gitops/tree/main":      false,
		"://": false,
	} {
		if got := ghapi.SameRepository(url, "https://github.com", "acme/gitops"); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}
