package page_test

import (
	"crypto/rand"
	"crypto/rsa"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/ghsim/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var sharedKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// world is a simulator with pages, and a browser in front of it.
type world struct {
	*ghsim.Sim
	t      *testing.T
	server *httptest.Server
	client *http.Client
	repo   ghsim.Repo
	first  string // the first commit
	inst   int64
	app    ghsim.RegisteredApp
}

const nasty = `<script>alert("x")</script><img src=x onerror=alert(1)> [l](javascript:alert(1)) </div></main>`

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	sim, err := ghsim.New(ghsim.Options{Dir: t.TempDir()})
	must(t, err)
	w := &world{Sim: sim, t: t, server: httptest.NewServer(sim)}
	sim.SetURL(w.server.URL)
	sim.HandlePages(page.New(sim, page.Options{As: "octocat"}))
	t.Cleanup(func() { sim.Close(); w.client.CloseIdleConnections(); w.server.Close() })
	w.browse()
	w.furnish()
	return w
}

// browse begins anew, without cookies.
func (w *world) browse() {
	jar, err := cookiejar.New(nil)
	must(w.t, err)
	w.client = &http.Client{Jar: jar, Transport: &http.Transport{}}
}

func (w *world) furnish() {
	key, err := sharedKey()
	must(w.t, err)
	w.AddOrg("acme")
	w.app, err = w.RegisterApp(ghsim.App{
		Slug: "stagecoach", PrivateKey: key,
		Permissions: map[string]string{"contents": "write", "issues": "write", "pull_requests": "write", "checks": "write"},
	})
	must(w.t, err)
	w.repo, err = w.CreateRepo("acme", "gitops", ghsim.RepoOptions{Files: map[string]string{
		"README.md": "# GitOps\n\nSee [dev](envs/dev/app.yaml).\n", "envs/dev/app.yaml": "image: web:1.4.1\nreplicas: 2\n", "envs/dev/bin.dat": "a\x00b",
		"windows.txt": "a\r\nb\r\n", "envs/<b>.txt": nasty + "\n",
	}})
	must(w.t, err)
	w.first = w.Branches(w.repo)["main"]
	must(w.t, w.SetPermission(w.repo, "octocat", "write"))
	must(w.t, w.SetPermission(w.repo, "monalisa", "read"))
	w.inst, err = w.Install(w.app.ID, "acme", w.repo)
	must(w.t, err)
}

// pull makes a branch that changes a file, and a pull request of it.
func (w *world) pull() int {
	w.t.Helper()
	octocat := w.As("octocat")
	_, err := octocat.Commit(w.repo, "change/one", map[string]string{"envs/dev/app.yaml": "image: web:1.4.2\nreplicas: 2\n"}, "Use web 1.4.2")
	must(w.t, err)
	number, err := octocat.CreatePR(w.repo, "change/one", "main", "Use web 1.4.2 "+nasty, "Because of "+w.first+" and #1.\n\n"+nasty)
	must(w.t, err)
	return number
}

func (w *world) get(path string) (int, string) {
	w.t.Helper()
	answer, err := w.client.Get(w.server.URL + path)
	return w.read(answer, err)
}

func (w *world) read(answer *http.Response, err error) (int, string) {
	w.t.Helper()
	must(w.t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	must(w.t, err)
	return answer.StatusCode, string(body)
}

// page is a page that must be there, and harmless.
func (w *world) page(path string) string {
	w.t.Helper()
	status, body := w.get(path)
	if status != http.StatusOK {
		w.t.Fatalf("GET %s: %d\n%s", path, status, mainOf(body))
	}
	w.harmless(path, body)
	return body
}

var running = regexp.MustCompile(`(?i)<script(?: src="/-/live\.js" defer)?>|<[a-z][^>]* on[a-z]+=|(?:href|src|action)="\s*javascript:|<iframe|<img`)

// harmless fails when text of others became markup. The frame's own script is the only one.
func (w *world) harmless(path, body string) {
	w.t.Helper()
	for _, found := range running.FindAllString(body, -1) {
		if found != `<script src="/-/live.js" defer>` && found != "<img" {
			w.t.Errorf("%s holds %s", path, found)
		}
	}
	if strings.Count(body, "</main>") != 1 || strings.Count(body, "<main") != 1 {
		w.t.Errorf("%s: a text left its place", path)
	}
	if strings.Contains(body, "ZgotmplZ") {
		w.t.Errorf("%s: a template put a value where it may not stand", path)
	}
}

func mainOf(body string) string {
	_, after, _ := strings.Cut(body, "<main")
	inside, _, _ := strings.Cut(after, "</main>")
	return inside
}

var csrf = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// send submits a form as the browser would: with the token that a page of this session shows.
func (w *world) send(path string, fields map[string]string) (int, string) {
	w.t.Helper()
	m := csrf.FindStringSubmatch(w.page("/"))
	if m == nil {
		w.t.Fatal("no form on the first page")
	}
	form := url.Values{"csrf": {m[1]}}
	for k, v := range fields {
		form.Set(k, v)
	}
	answer, err := w.client.PostForm(w.server.URL+path, form)
	return w.read(answer, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newPages serves the pages of another simulator and gives their address.
func newPages(t *testing.T, sim *ghsim.Sim) string {
	t.Helper()
	server := httptest.NewServer(page.New(sim, page.Options{}))
	t.Cleanup(server.Close)
	return server.URL
}
