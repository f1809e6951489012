package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = gitopstest.Token

// remote is a real git server over HTTP with one bare repository.
type remote struct {
	*gitopstest.Server
	t *testing.T
}

// newRemote serves a bare repository. The options are git config settings;
// without any it can what GitHub can.
func newRemote(t *testing.T, options ...string) *remote {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is missing: these tests need it on the other end")
	}
	s, err := gitopstest.New(t.TempDir(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &remote{s, t}
}

func (s *remote) wantCounts(fetches, pushes int) {
	s.t.Helper()
	if f, p := s.Fetches(), s.Pushes(); f != fetches || p != pushes {
		s.t.Errorf("%d fetches and %d pushes, want %d and %d", f, p, fetches, pushes)
	}
}

// git runs git in the bare repository.
func (s *remote) git(stdin string, args ...string) string {
	s.t.Helper()
	out, err := s.Git(stdin, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
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
	if _, err := gitopstest.Git(s.Dir, "", "rev-parse", "-q", "--verify", "refs/heads/"+branch); err == nil {
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
	return engine(t, t.TempDir()).Repository(7, s.URL, auth)
}

func (s *remote) at(e *gitops.Engine) *gitops.Repository { return e.Repository(7, s.URL, auth) }

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
