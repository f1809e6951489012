package ghapi_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var sharedKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// world is the simulated GitHub with one repository, and the API on it. The app
// has exactly the permissions that it asks for.
type world struct {
	*ghsim.Sim
	*ghapi.API
	t      *testing.T
	app    ghsim.RegisteredApp
	inst   int64
	gitops ghsim.Repo
	opts   ghapi.Options
	now    time.Time // the API's clock, which stands still

	mu    sync.Mutex
	slept []time.Duration // what the API would have waited, of positive waits
}

const (
	freightID = "1111111111111111111111111111111111111111"
	stage     = "prod"
)

var created = time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)

// promo is the name of the promotion that the tasks of these tests belong to.
var promo = promotion.NewName(stage, created, "a cause", freightID)

func newWorld(t *testing.T, options ...func(*ghsim.RepoOptions)) *world {
	t.Helper()
	sim, err := ghsim.New(ghsim.Options{Dir: t.TempDir()})
	must(t, err)
	server := httptest.NewServer(sim)
	sim.SetURL(server.URL)
	wire := &http.Transport{}
	t.Cleanup(func() {
		sim.Close()
		wire.CloseIdleConnections()
		server.Close()
	})
	w := &world{Sim: sim, t: t, now: time.Now().Truncate(time.Second)}
	w.furnish(options)
	w.opts = ghapi.Options{
		WebURL: server.URL, V3URL: sim.APIURL(), AppID: w.app.ID, PrivateKey: []byte(w.app.PrivateKey),
		LedgerKeys: [][]byte{[]byte("a ledger key")}, Transport: wire, NoPace: true, Now: func() time.Time { return w.now },
	}
	w.API = w.newAPI()
	return w
}

func (w *world) furnish(options []func(*ghsim.RepoOptions)) {
	key, err := sharedKey()
	must(w.t, err)
	w.AddOrg("acme")
	w.AddUser("octocat")
	w.app, err = w.RegisterApp(ghsim.App{Slug: "stagecoach", Owner: "acme", Permissions: ghapi.Permissions(), PrivateKey: key})
	must(w.t, err)
	repo := ghsim.RepoOptions{Private: true, Files: map[string]string{"envs/prod/values.yaml": "tag: 1.4.1\n"}}
	for _, o := range options {
		o(&repo)
	}
	w.gitops, err = w.CreateRepo("acme", "gitops", repo)
	must(w.t, err)
	must(w.t, w.SetPermission(w.gitops, "octocat", "maintain"))
	w.inst, err = w.Install(w.app.ID, "acme", w.gitops)
	must(w.t, err)
}

// newAPI makes an API as a fresh process has it: no tokens, nothing cached.
func (w *world) newAPI() *ghapi.API {
	w.t.Helper()
	api, err := ghapi.New(w.opts)
	must(w.t, err)
	api.SetSleep(func(ctx context.Context, d time.Duration) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if d > 0 {
			w.slept = append(w.slept, d)
		}
		return ctx.Err()
	})
	return api
}

func (w *world) repo() promotion.Repo {
	return promotion.Repo{ID: w.gitops.ID, Owner: "acme", Name: "gitops", DefaultBranch: "main", Installation: w.inst, Private: true}
}

// branch makes the promotion's branch, with one commit by octocat.
func (w *world) branch() (name, sha string) {
	w.t.Helper()
	name = promotion.BranchName(promotion.DefaultPipeline, stage, promo)
	sha, err := w.As("octocat").Commit(w.gitops, name, map[string]string{"envs/prod/values.yaml": "tag: 1.4.2\n"}, "Promote web 1.4.2 to prod")
	must(w.t, err)
	return name, sha
}

// task is an effect of kind on the promotion, decided now.
func (w *world) task(kind promotion.Kind) promotion.Task {
	p := &promotion.Promotion{
		Name: promo, Pipeline: promotion.DefaultPipeline, Stage: stage, Freight: freightID, Phase: promotion.PhaseRunning,
		RequestedBy: "octocat", CreatedAt: created, StartedAt: created,
		Plan: &promotion.Plan{
			Steps:   []promotion.Step{{Uses: "git-open-pr", Added: true}, {Uses: "git-wait-for-pr", Added: true}},
			Deliver: promotion.DeliverPullRequest, Branch: "main",
		},
		Steps: make([]promotion.StepState, 2),
	}
	return promotion.Task{
		Effect:    promotion.Effect{ID: string(kind) + "/" + promo, Kind: kind, Pipeline: p.Pipeline, Promotion: promo, SentAt: w.now},
		Repo:      w.repo(),
		Promotion: p,
		Freight:   &promotion.Freight{ID: freightID, Artifacts: []promotion.Artifact{{Source: "web", Kind: "git", Repo: "acme/web", Commit: freightID}}},
		State:     &promotion.State{Version: promotion.StateVersion, Repo: w.repo(), Issue: 7},
	}
}

// step is the task of a step, with its evaluated config.
func (w *world) step(uses, config string) promotion.Task {
	t := w.task(promotion.KindStep)
	t.Step = &promotion.Step{Uses: uses}
	t.Config = []byte(config)
	return t
}

// run does an effect that must succeed.
func (w *world) run(t promotion.Task) promotion.Result {
	w.t.Helper()
	r := w.Run(w.t.Context(), t)
	if r.Effect != t.Effect.ID {
		w.t.Errorf("the result names the effect %q, not %q", r.Effect, t.Effect.ID)
	}
	must(w.t, r.Err)
	return r
}

// counted runs f and says which counted requests it took, as "2 writes, 1 reads".
func (w *world) counted(f func()) string {
	w.t.Helper()
	mark := w.Mark()
	f()
	c := w.Counts(mark)
	return fmt.Sprintf("%d writes, %d reads", c.Writes, c.Reads)
}

// costs runs f and checks what it takes.
func (w *world) costs(want string, f func()) {
	w.t.Helper()
	if got := w.counted(f); got != want {
		w.t.Errorf("took %s; want %s", got, want)
	}
}

func (w *world) waits() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.slept
	w.slept = nil
	return out
}

// loseAnswer lets the next request of a route have its effect and cuts its answer.
func (w *world) loseAnswer(route string) {
	w.Fault(ghsim.Fault{Route: route, When: ghsim.After, Cut: true})
}

// lost runs an effect whose answer is cut off, and returns the task as the
// core gives it again.
func (w *world) lost(t promotion.Task, route string) promotion.Task {
	w.t.Helper()
	w.loseAnswer(route)
	if r := w.Run(w.t.Context(), t); r.Err == nil || promotion.IsTerminal(r.Err) {
		w.t.Fatalf("a lost answer gave %v, want an error to try again", r.Err)
	}
	t.Effect.Look, t.Effect.Tries = true, 1
	return t
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
