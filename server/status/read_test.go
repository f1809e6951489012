package status_test

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
	"github.com/stagecoach-app/stagecoach/server/status"
)

func TestMain(m *testing.M) { servertest.Main(m) }

func read(t *testing.T, w *servertest.World, name string) (status.Status, error) {
	t.Helper()
	env := w.Env()
	set, err := config.Load("", func(k string) string { return env[k] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	wire := &http.Transport{}
	t.Cleanup(wire.CloseIdleConnections)
	return status.Read(t.Context(), set, "test", "acme", name, wire)
}

// TestRead reads a real server's tracking issue after the server is gone.
func TestRead(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	w := servertest.New(t, servertest.Files())
	w.InstallApp()
	if s, err := read(t, w, "gitops"); err != nil || len(s.Stages) != 3 || s.Issue != "" || s.Stages[0].Name != "dev" || s.Stages[0].Freight != nil {
		t.Errorf("before anything ran: %+v, %v", s, err)
	}
	w.StartServer()
	w.StoryToStaging()
	w.StopServer()
	mark := len(w.Sim.Requests())
	s, err := read(t, w, "gitops")
	if err != nil {
		t.Fatal(err)
	}
	if s.Stages[0].Health != "healthy" || s.Stages[1].Health != "healthy" || s.Stages[2].Health != "" || s.Stages[2].Name != "prod" {
		t.Errorf("stages %+v", s.Stages)
	}
	if len(s.Promotions) != 2 || s.Promotions[0].Stage != "staging" || s.Promotions[0].Phase != "succeeded" || s.Promotions[0].PullRequest == nil {
		t.Errorf("promotions %+v", s.Promotions)
	}
	for _, r := range w.Sim.Requests()[mark:] {
		if r.Method != http.MethodGet && !strings.HasSuffix(r.Path, "/access_tokens") && !strings.HasSuffix(r.Path, "/git-upload-pack") {
			t.Errorf("it sent %s %s", r.Method, r.Path)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("it left %v on disk (%v)", left, err)
	}
}

func TestReadWhatIsNotThere(t *testing.T) {
	w := servertest.New(t, map[string]string{"README.md": "# nothing\n"})
	if _, err := read(t, w, "gitops"); !errors.Is(err, ghapi.ErrNotInstalled) {
		t.Errorf("not installed: %v", err)
	}
	off, err := w.Sim.CreateRepo("acme", "off", ghsim.RepoOptions{Private: true, Files: servertest.Files(), NoIssues: true})
	if err != nil {
		t.Fatal(err)
	}
	w.InstallApp(w.Repo, off)
	if _, err := read(t, w, "gitops"); !errors.Is(err, status.ErrNothing) {
		t.Errorf("no pipeline: %v", err)
	}
	if got, err := read(t, w, "off"); err != nil || len(got.Stages) != 3 || got.Issue != "" {
		t.Errorf("no issues, and no ledger yet: %+v %v", got, err)
	}
}
