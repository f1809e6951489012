package gitops_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "ghs_12345.abc-DEF_ghi"

// remote is a real git server over HTTP with one bare repository.
type remote struct {
	t   *testing.T
	dir string // the bare repository
	url string

	mu     sync.Mutex
	counts map[string]int // "GET info/refs", "POST git-upload-pack", …
	bytes  int64          // sent
	fault  func(w http.ResponseWriter, r *http.Request, serve http.Handler) bool
}

// newRemote serves a bare repository. The options are git config settings;
// without any it can what GitHub can.
func newRemote(t *testing.T, options ...string) *remote {
	t.Helper()
	root := t.TempDir()
	s := &remote{t: t, dir: filepath.Join(root, "acme", "gitops.git"), counts: map[string]int{}}
	s.git("", "init", "-q", "--bare", "--template=", "-b", "main", s.dir)
	if len(options) == 0 {
		options = []string{"uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true"}
	}
	s.configure(append(options, "http.receivepack=true", "receive.fsckObjects=true", "gc.auto=0"))
	path, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	backend := &cgi.Handler{
		Path: path, Args: []string{"http-backend"}, Dir: root, Stderr: io.Discard,
		Env: append(gitEnv(), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=app"),
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, backend) }))
	t.Cleanup(srv.Close)
	s.url = srv.URL + "/acme/gitops.git"
	return s
}

// configure adds settings to the repository's config file.
func (s *remote) configure(options []string) {
	s.t.Helper()
	var text strings.Builder
	for _, o := range options {
		section, setting, _ := strings.Cut(o, ".")
		fmt.Fprintf(&text, "[%s]\n\t%s\n", section, setting)
	}
	path := filepath.Join(s.dir, "config")
	old, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(old, text.String()...), 0o644)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func gitEnv() []string {
	return []string{
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "PATH=" + os.Getenv("PATH"), "HOME=/nonexistent",
		"GIT_AUTHOR_NAME=octocat", "GIT_AUTHOR_EMAIL=octocat@example.com", "GIT_COMMITTER_NAME=octocat", "GIT_COMMITTER_EMAIL=octocat@example.com",
	}
}

func (s *remote) serve(w http.ResponseWriter, r *http.Request, backend http.Handler) {
	if user, pass, _ := r.BasicAuth(); user != "x-access-token" || pass != token {
		http.Error(w, "Bad credentials for "+pass, http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	i := strings.Index(r.URL.Path, ".git/")
	s.counts[r.Method+" "+r.URL.Path[i+len(".git/"):]]++
	fault := s.fault
	s.mu.Unlock()
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { backend.ServeHTTP(&counting{w, s}, r) })
	if fault != nil && fault(w, r, counted) {
		return
	}
	counted.ServeHTTP(w, r)
}

type counting struct {
	http.ResponseWriter
	s *remote
}

func (c *counting) Write(p []byte) (int, error) {
	c.s.mu.Lock()
	c.s.bytes += int64(len(p))
	c.s.mu.Unlock()
	return c.ResponseWriter.Write(p)
}

func (s *remote) setFault(f func(w http.ResponseWriter, r *http.Request, serve http.Handler) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// reset forgets the counts.
func (s *remote) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.counts)
	s.bytes = 0
}

func (s *remote) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[what]
}

func (s *remote) fetches() int { return s.count("POST git-upload-pack") }
func (s *remote) pushes() int  { return s.count("POST git-receive-pack") }

func (s *remote) wantCounts(fetches, pushes int) {
	s.t.Helper()
	if f, p := s.fetches(), s.pushes(); f != fetches || p != pushes {
		s.t.Errorf("%d fetches and %d pushes, want %d and %d", f, p, fetches, pushes)
	}
}

// git runs git in the bare repository.
func (s *remote) git(stdin string, args ...string) string {
	s.t.Helper()
	out, err := runGit(s.dir, stdin, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func runGit(dir, stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	if _, err := os.Stat(dir); err == nil {
		cmd.Dir = dir
	}
	cmd.Env = gitEnv()
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %v: %w: %s", args, err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// file is one file of a commit that a test makes. Empty content deletes it,
// unless empty is set.
type file struct {
	path, content string
	mode          string // 100644 when empty
	remove        bool
}

// commit adds a commit to a branch, as a person would push it.
func (s *remote) commit(branch string, files ...file) string {
	s.t.Helper()
	var in strings.Builder
	fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter octocat <octocat@example.com> 1700000000 +0000\ndata 6\nchange\n", branch)
	if _, err := runGit(s.dir, "", "rev-parse", "-q", "--verify", "refs/heads/"+branch); err == nil {
		fmt.Fprintf(&in, "from refs/heads/%s^0\n", branch)
	}
	for _, f := range files {
		switch {
		case f.remove:
			fmt.Fprintf(&in, "D %s\n", f.path)
		case f.mode == "160000":
			fmt.Fprintf(&in, "M 160000 %s %s\n", f.content, f.path)
		default:
			mode := f.mode
			if mode == "" {
				mode = "100644"
			}
			fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", mode, f.path, len(f.content), f.content)
		}
	}
	in.WriteString("\n")
	s.git(in.String(), "fast-import", "--quiet", "--force")
	return s.tip(branch)
}

func (s *remote) tip(branch string) string { return s.git("", "rev-parse", "refs/heads/"+branch) }

func (s *remote) show(commit, path string) string { return s.git("", "show", commit+":"+path) }

func (s *remote) fsck() {
	s.t.Helper()
	s.git("", "fsck", "--full", "--strict")
}

// engine opens an engine that ends with the test.
func engine(t *testing.T, dir string) *gitops.Engine {
	t.Helper()
	// Timeouts are far off: no test waits for one.
	e, err := gitops.New(dir, gitops.Options{Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func auth(context.Context) (string, error) { return token, nil }

// open gives a handle with an engine of its own.
func (s *remote) open(t *testing.T) *gitops.Repository {
	return engine(t, t.TempDir()).Repository(7, s.url, auth)
}

func (s *remote) at(e *gitops.Engine) *gitops.Repository { return e.Repository(7, s.url, auth) }

// cut closes the connection without an answer.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

var bot = gitops.Ident{Name: "stagecoach[bot]", Email: "1+stagecoach[bot]@users.noreply.github.com"}

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func request(parent string) gitops.CommitRequest {
	return gitops.CommitRequest{
		Message: "Promote web to prod\n\nStagecoach-Promotion: " + promotionName + "\n", Bot: bot, When: start, Parent: parent,
	}
}

const promotionName = "prod.01jqzk3v5e8r2m6x9c4t7w1ybd.ab12cd3"

// root mounts a commit at ".".
func root(commit string) []promotion.Mount {
	return []promotion.Mount{{Path: ".", Commit: commit, Branch: "main"}}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func write(t *testing.T, ws *gitops.Workspace, path, content string) {
	t.Helper()
	if err := ws.WriteFile(t.Context(), path, []byte(content), 0); err != nil {
		t.Fatal(err)
	}
}

func wantIs(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("error %v, want %v", err, target)
	}
}

func wantSecretFree(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), token) {
		t.Errorf("the error holds the token: %v", err)
	}
}
