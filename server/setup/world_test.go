package setup_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/ghsim/page"
	"github.com/stagecoach-app/stagecoach/server/servertest"
	"github.com/stagecoach-app/stagecoach/server/setup"
)

func TestMain(m *testing.M) { servertest.Main(m) }

const public = "https://promote.example.com"

// world is a GitHub with pages, octocat in front of them, and a place for the credentials.
type world struct {
	*ghsim.Sim
	t    *testing.T
	wire *http.Transport
	file string
	told buffer
	name string // under which octocat registers the App; empty: the one that the form has
}

// buffer is what setup told so far.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	sim, err := ghsim.New(ghsim.Options{Dir: t.TempDir()})
	must(t, err)
	server := httptest.NewServer(sim)
	sim.SetURL(server.URL)
	sim.HandlePages(page.New(sim, page.Options{As: "octocat"}))
	sim.AddUser("octocat")
	sim.AddOrgMember("acme", "octocat", true)
	w := &world{Sim: sim, t: t, wire: &http.Transport{}, file: filepath.Join(t.TempDir(), "stagecoach.env")}
	t.Cleanup(func() {
		sim.Close()
		w.wire.CloseIdleConnections()
		server.Close()
	})
	return w
}

// options are those of a setup whose browser is octocat's.
func (w *world) options() setup.Options {
	manifest, err := os.ReadFile("../../app.yml")
	must(w.t, err)
	return setup.Options{
		Manifest: manifest, PublicURL: public, WebURL: w.URL(), Org: "acme", File: w.file, Out: &w.told, Transport: w.wire,
		Open: func(address string) error { go func() { _ = w.agree(address) }(); return nil },
	}
}

func (w *world) run(o setup.Options) (setup.Result, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return setup.Run(ctx, o)
}

// registered is a setup that went well.
func (w *world) registered() setup.Result {
	w.t.Helper()
	r, err := w.run(w.options())
	must(w.t, err)
	return r
}

// agree is octocat in front of the browser: the start page, GitHub's page, its button. It gives the page in the end.
func (w *world) agree(address string) string {
	v := servertest.NewVisitor()
	defer v.Close()
	err := errors.Join(v.Go(address), v.Press())
	if err == nil && w.name != "" {
		err = v.Press("name", w.name)
	} else if err == nil {
		err = v.Press()
	}
	if err != nil {
		w.t.Error(err)
	}
	return v.Text
}

// settings are what serve makes of the file.
func (w *world) settings() *config.Settings {
	w.t.Helper()
	content, err := os.ReadFile(w.file)
	must(w.t, err)
	return settingsOf(w.t, content)
}

func settingsOf(t *testing.T, content []byte) *config.Settings {
	t.Helper()
	vars, err := config.ReadEnv("the file", content)
	must(t, err)
	set, err := config.Load("", func(name string) string { return vars[name] }, os.ReadFile)
	must(t, err)
	return set
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
