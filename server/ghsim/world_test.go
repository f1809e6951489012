package ghsim_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v57/github"
	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

const secret = "It's a Secret to Everybody"

var sharedKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var allEvents = []string{"push", "pull_request", "issues", "issue_comment", "check_run", "check_suite", "repository", "status",
	"pull_request_review", "merge_group", "deployment", "deployment_status", "repository_dispatch", "release"}

func allPermissions() map[string]string {
	return map[string]string{"contents": "write", "issues": "write", "pull_requests": "write", "checks": "write", "statuses": "write", "members": "read", "administration": "read", "merge_queues": "read", "deployments": "write"}
}

// clock is a time that only tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// received is one webhook as the App's server got it.
type received struct {
	header http.Header
	body   []byte
}

func (r received) event() string { return r.header.Get("X-GitHub-Event") }

func (r received) payload(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(r.body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// inbox is an App's webhook receiver.
type inbox struct {
	mu     sync.Mutex
	all    []received
	answer int
}

func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.all = append(in.all, received{r.Header.Clone(), body})
	if in.answer != 0 {
		w.WriteHeader(in.answer)
	}
}

func (in *inbox) answerWith(status int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.answer = status
}

// world is a simulator with organization, repository, people, an App that is installed, and a client of the App.
type world struct {
	*ghsim.Sim
	t      *testing.T
	server *httptest.Server
	clock  *clock
	auth   *clock
	inbox  *inbox
	app    ghsim.RegisteredApp
	repo   ghsim.Repo
	inst   int64
	rest   *github.Client // as the installation
	jwt    *github.Client // as the App
	judge  *judge
	conn   http.RoundTripper // judges every answer against GitHub's description
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	wire := &http.Transport{}
	judge := &judge{next: wire, seen: map[string]bool{}}
	w := &world{t: t, clock: &clock{now: time.Now()}, auth: &clock{now: time.Now()}, inbox: &inbox{}, conn: judge, judge: judge}
	sim, err := ghsim.New(ghsim.Options{Dir: t.TempDir(), Clock: w.clock.read, AuthClock: w.auth.read})
	must(t, err)
	w.Sim = sim
	w.server = httptest.NewServer(sim)
	sim.SetURL(w.server.URL)
	hooks := httptest.NewServer(w.inbox)
	t.Cleanup(func() {
		sim.Close()
		wire.CloseIdleConnections()
		w.server.Close()
		hooks.Close()
		for _, bad := range judge.bad {
			t.Error("an answer that GitHub would not give: " + bad)
		}
	})
	w.furnish(hooks.URL)
	return w
}

func (w *world) furnish(hookURL string) {
	key, err := sharedKey()
	must(w.t, err)
	w.AddOrg("acme")
	w.AddUser("monalisa")
	w.app, err = w.RegisterApp(ghsim.App{
		Slug: "stagecoach", Owner: "octo-org", WebhookURL: hookURL, WebhookSecret: secret, Permissions: allPermissions(), Events: allEvents, PrivateKey: key,
	})
	must(w.t, err)
	w.repo, err = w.CreateRepo("acme", "gitops", ghsim.RepoOptions{Private: true, Files: map[string]string{
		"README.md": "# gitops\n", "envs/dev/kustomization.yaml": "images:\n- name: web\n  newTag: 1.4.1\n",
	}})
	must(w.t, err)
	must(w.t, w.SetPermission(w.repo, "octocat", "write"))
	w.inst, err = w.Install(w.app.ID, "acme", w.repo)
	must(w.t, err)
	w.rest, w.jwt = w.clients(w.inst)
	w.idle()
}

func (w *world) clients(inst int64) (rest, jwt *github.Client) {
	transport, err := ghinstallation.New(w.conn, w.app.ID, inst, []byte(w.app.PrivateKey))
	must(w.t, err)
	transport.BaseURL = w.APIURL()
	apps, err := ghinstallation.NewAppsTransport(w.conn, w.app.ID, []byte(w.app.PrivateKey))
	must(w.t, err)
	apps.BaseURL = w.APIURL()
	return w.client(transport), w.client(apps)
}

func (w *world) client(transport http.RoundTripper) *github.Client {
	c, err := github.NewClient(&http.Client{Transport: transport}).WithEnterpriseURLs(w.server.URL, w.server.URL)
	must(w.t, err)
	return c
}

func (w *world) token() string {
	w.t.Helper()
	token, _, err := w.jwt.Apps.CreateInstallationToken(context.Background(), w.inst, nil)
	must(w.t, err)
	return token.GetToken()
}

func (w *world) idle() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	must(w.t, w.WaitIdle(ctx))
}

// events takes everything received since the last call, as "event.action" or just the event.
func (w *world) events() []string {
	w.t.Helper()
	var names []string
	for _, r := range w.take() {
		name := r.event()
		if action, is := r.payload(w.t)["action"].(string); is {
			name += "." + action
		}
		names = append(names, name)
	}
	return names
}

func (w *world) take() []received {
	w.t.Helper()
	w.idle()
	w.inbox.mu.Lock()
	defer w.inbox.mu.Unlock()
	all := w.inbox.all
	w.inbox.all = nil
	return all
}

// send makes one plain HTTP request with a token and gives status, header and decoded body.
func (w *world) send(method, path, token, body string, header ...string) (int, http.Header, map[string]any) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.server.URL+path, strings.NewReader(body))
	must(w.t, err)
	if token != "" {
		req.Header.Set("Authorization", "token "+token)
	}
	for n := 0; n+1 < len(header); n += 2 {
		req.Header.Set(header[n], header[n+1])
	}
	client := http.Client{Transport: w.conn, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	must(w.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(w.t, err)
	var out map[string]any
	_ = json.Unmarshal(raw, &out) // lists and empty bodies stay nil
	return resp.StatusCode, resp.Header, out
}

// git runs the git command as a user would, without any configuration of the machine.
func (w *world) git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=octocat", "GIT_AUTHOR_EMAIL=octocat@github.com", "GIT_COMMITTER_NAME=octocat", "GIT_COMMITTER_EMAIL=octocat@github.com")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *world) mustGit(dir string, args ...string) string {
	w.t.Helper()
	out, err := w.git(dir, args...)
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

// cloneURL has the credential in it.
func (w *world) cloneURL(user, token string) string {
	return strings.Replace(w.server.URL, "http://", "http://"+user+":"+token+"@", 1) + "/acme/gitops.git"
}

func (w *world) clone(user, token string) string {
	w.t.Helper()
	dir := w.t.TempDir()
	w.mustGit(dir, "clone", "-q", w.cloneURL(user, token), "work")
	return dir + "/work"
}

// branchWith makes a branch with one changed file and opens a pull request from it.
func (w *world) pullRequest(branch string) int {
	w.t.Helper()
	octocat := w.As("octocat")
	_, err := octocat.Commit(w.repo, branch, map[string]string{"envs/dev/kustomization.yaml": "images:\n- name: web\n  newTag: " + branch + "\n"}, "Promote "+branch)
	must(w.t, err)
	n, err := octocat.CreatePR(w.repo, branch, "main", "Promote "+branch, "body of "+branch)
	must(w.t, err)
	return n
}

// newServer serves for the test and gives its URL.
func newServer(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
