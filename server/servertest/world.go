package servertest

import (
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"crypto/rsa"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palantir/go-githubapp/githubapp"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// Secret signs the webhooks of test worlds.
const Secret = "it is only a test"

// World is one simulated GitHub with one repository, acme/gitops, on which
// octocat has write access and monalisa may read.
type World struct {
	TB      testing.TB
	Sim     *ghsim.Sim
	Repo    ghsim.Repo
	App     ghsim.RegisteredApp
	Install int64
	DataDir string
	Addr    string // where webhooks go: the server is started there again after each stop
	Log     zerolog.Logger

	// Vars are added to the environment, or replace what Env says.
	Vars map[string]string
	// Journal is the event log of the server in this process, as its worker sees it.
	Journal worker.Log
	// WrapLog puts something between that worker and the log; nil: nothing.
	WrapLog func(worker.Log) worker.Log
	// WrapScheduler puts something between the webhook and the log; nil: nothing.
	WrapScheduler func(githubapp.Scheduler) githubapp.Scheduler
	// OnSave is called after each save of a state by the server in this process; nil: nobody listens.
	OnSave func(*promotion.State)
	// Transport carries the requests of the server in this process to GitHub; nil: its own.
	Transport http.RoundTripper
	// SweepEvery is the time between two looks for failed deliveries of the server in
	// this process; 0: a minute.
	SweepEvery time.Duration
	// Meanwhile happens in Story while staging's pull request waits; nil: nothing does.
	Meanwhile func()
	// LetEnd is how long that one lets what is under way end when it is stopped; 0: as
	// long as it may.
	LetEnd time.Duration
	// Patience is how long Until waits; 0: two minutes.
	Patience time.Duration

	net    network
	client *http.Transport // of the tests themselves, for the server's pages
	web    *http.Server
	server *server.Server
	home   string           // where processes run: empty, and outside the data directory
	sent   map[string]int64 // GUID → the try that was sent again last

	fleet *Fleet // nil: none

	mu     sync.Mutex
	proc   *process
	starts int
	kills  atomic.Int64 // asked for by Kill
}

// Files is a GitOps repository with three environments, whose images are named
// after the commit that changed the app.
func Files() map[string]string {
	files := map[string]string{
		"app/deploy.yaml":          "kind: Deployment\nmetadata: {name: web}\n",
		".github/stagecoach.yml":   Config,
		"README.md":                "# gitops\n",
		"envs/unrelated/note.yaml": "nothing: here\n",
	}
	for _, env := range []string{"dev", "staging", "prod"} {
		files["envs/"+env+"/kustomization.yaml"] = "# kept\nresources: [../../app]\nimages:\n  - name: web # the app\n    newTag: initial\n"
		files["envs/"+env+"/values.yaml"] = "image:\n  tag: initial # set by Stagecoach\nreplicas: 3\n"
	}
	return files
}

// Config promotes a change of app/ to dev by itself, to staging by a pull
// request, and to prod when somebody asks.
const Config = `version: 1
sources:
  - name: app
    git: {branch: main, paths: ['app/**']}
stages:
  - name: dev
    promote: auto
    deliver: commit
    steps: &steps
      - uses: kustomize-set-image
        config:
          path: envs/${{ ctx.stage }}
          images: [{image: web, tag: "${{ freight.app.commit[:7] }}"}]
      - uses: yaml-update
        config:
          path: envs/${{ ctx.stage }}/values.yaml
          updates: [{key: image.tag, value: "${{ freight.app.commit[:7] }}"}]
  - name: staging
    after: [dev]
    promote: auto
    steps: *steps
  - name: prod
    after: [staging]
    steps: *steps
`

// New makes a world with the given files and installs the app, before the
// server runs.
func New(tb testing.TB, files map[string]string) *World {
	tb.Helper()
	return newWorld(tb, files, new(loopback))
}

// Simulated is New for a bubble of synctest, in which time passes at once: its server
// in this process, its GitHub and its tests talk over pipes.
func Simulated(tb testing.TB, files map[string]string) *World {
	tb.Helper()
	return newWorld(tb, files, newInMemory())
}

func newWorld(tb testing.TB, files map[string]string, over network) *World {
	tb.Helper()
	w := &World{TB: tb, net: over, client: &http.Transport{DialContext: over.dial}, DataDir: filepath.Join(tb.TempDir(), "data"), Log: zerolog.Nop(), home: tb.TempDir(), sent: map[string]int64{}}
	if testing.Verbose() {
		w.Log = zerolog.New(zerolog.NewTestWriter(tb)).Level(zerolog.InfoLevel)
	}
	if _, simulated := over.(*inMemory); simulated {
		w.Transport = &http.Transport{DialContext: over.dial}
	}
	ln := over.listen(tb, "")
	sim, err := ghsim.New(ghsim.Options{Dir: tb.TempDir(), URL: "http://" + ln.Addr().String(), Dial: over.dial})
	w.must(err)
	w.Sim = sim
	w.web = &http.Server{Handler: sim, ReadHeaderTimeout: time.Minute}
	go func() { _ = w.web.Serve(ln) }()
	tb.Cleanup(func() {
		w.StopServer()
		w.Kill()
		sim.Close()
		_ = w.web.Close()
		w.client.CloseIdleConnections()
		if t, ours := w.Transport.(*http.Transport); ours {
			t.CloseIdleConnections()
		}
	})
	w.Addr = over.free(tb)
	sim.AddOrg("acme")
	for _, login := range []string{"octocat", "monalisa", "hubot"} {
		sim.AddUser(login)
	}
	w.Repo, err = sim.CreateRepo("acme", "gitops", ghsim.RepoOptions{Private: true, Files: files})
	w.must(err)
	sim.SetPermission(w.Repo, "octocat", "write")
	sim.SetPermission(w.Repo, "monalisa", "read")
	w.App, err = sim.RegisterApp(ghsim.App{
		Slug: "stagecoach", Owner: "acme", WebhookURL: "http://" + w.Addr + "/api/github/hook", WebhookSecret: Secret,
		Permissions: ghapi.Permissions(), Events: Subscribed(), PrivateKey: appKey(tb),
	})
	w.must(err)
	if w.Transport == nil { // it lives in real time
		w.fewPartitions()
	}
	return w
}

// sharedKey is the private key of the App under test in each world: making one takes a
// while, and no world hears of another.
var sharedKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(cryptorand.Reader, 2048) })

func appKey(tb testing.TB) *rsa.PrivateKey {
	tb.Helper()
	key, err := sharedKey()
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

// Subscribed are the events that an App subscribes to: those about installations
// come without.
func Subscribed() []string {
	var out []string
	for _, e := range handlers.Events() {
		if !strings.HasPrefix(e, "installation") {
			out = append(out, e)
		}
	}
	return out
}

func listen(tb testing.TB, addr string) net.Listener {
	tb.Helper()
	var ln net.Listener
	var err error
	for range 100 { // the port of a server that was just killed may be busy for a moment
		if ln, err = net.Listen("tcp", addr); err == nil {
			return ln
		}
		time.Sleep(20 * time.Millisecond)
	}
	tb.Fatal(err)
	return nil
}

func (w *World) must(err error) {
	w.TB.Helper()
	if err != nil {
		w.TB.Fatal(err)
	}
}

// Env are the variables that let a server run against this world.
func (w *World) Env() map[string]string {
	env := map[string]string{
		"GITHUB_WEB_URL": w.Sim.URL(), "GITHUB_V3_API_URL": w.Sim.APIURL(), "GITHUB_V4_API_URL": w.Sim.URL() + "/api/graphql",
		"GITHUB_APP_INTEGRATION_ID": fmt.Sprint(w.App.ID), "GITHUB_APP_WEBHOOK_SECRET": Secret, "GITHUB_APP_PRIVATE_KEY": w.App.PrivateKey,
		"STAGECOACH_ADDR": w.Addr, "STAGECOACH_DATA_DIR": w.DataDir, "STAGECOACH_PACE": "off",
	}
	maps.Copy(env, w.Vars)
	return env
}

// freeAddr is an address to listen on that stays free while nobody does: its
// port is below those that systems give to outgoing connections.
func freeAddr(tb testing.TB) string {
	tb.Helper()
	for range 100 {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000)))
		if err != nil {
			continue
		}
		defer func() { _ = ln.Close() }()
		return ln.Addr().String()
	}
	tb.Fatal("there is no free port")
	return ""
}

// StartServer starts a server in this process.
func (w *World) StartServer() {
	w.TB.Helper()
	env := w.Env()
	settings, err := config.Load("", func(k string) string { return env[k] }, nil)
	w.must(err)
	w.server, err = server.New(context.Background(), server.Config{
		Settings: settings, Log: w.Log, Listener: w.net.listen(w.TB, w.Addr), SweepEvery: w.SweepEvery, LetEnd: w.LetEnd,
		Transport: w.Transport, WrapLog: w.wrapLog, WrapStore: w.wrapStore, WrapScheduler: w.WrapScheduler,
	})
	w.must(err)
	w.server.Start()
}

func (w *World) wrapLog(l worker.Log) worker.Log {
	if w.WrapLog != nil {
		l = w.WrapLog(l)
	}
	w.Journal = l
	return l
}

func (w *World) wrapStore(s worker.Store) worker.Store {
	if w.OnSave == nil {
		return s
	}
	return saving{s, w.OnSave}
}

// saving tells of each state that was saved.
type saving struct {
	worker.Store
	tell func(*promotion.State)
}

func (s saving) Save(ctx context.Context, state *promotion.State, revision uint64) (uint64, error) {
	next, err := s.Store.Save(ctx, state, revision)
	if err == nil {
		s.tell(state)
	}
	return next, err
}

// StopServer stops it, if it runs.
func (w *World) StopServer() {
	if w.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := w.server.Stop(ctx); err != nil {
		w.TB.Error(err)
	}
	w.server = nil
}

// InstallApp installs the app on the repository, or on those given.
func (w *World) InstallApp(repos ...ghsim.Repo) {
	w.TB.Helper()
	if len(repos) == 0 {
		repos = []ghsim.Repo{w.Repo}
	}
	id, err := w.Sim.Install(w.App.ID, "acme", repos...)
	w.must(err)
	w.Install = id
}

// Until waits until cond holds, and fails the test with what it looked like
// when that takes too long.
func (w *World) Until(what string, cond func() bool) {
	w.TB.Helper()
	deadline := time.Now().Add(cmp.Or(w.Patience, 2*time.Minute))
	for !cond() {
		if time.Now().After(deadline) {
			w.TB.Fatalf("waited in vain until %s\n%s%s", what, w.Sketch(), w.Output())
		}
		time.Sleep(5 * time.Millisecond)
	}
}
