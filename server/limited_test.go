package server_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/internal/bubble"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestARateLimitIsWaitedFor lets GitHub limit one of two installations before the pull
// request of a promotion is opened. The promotion waits exactly as long as told, says
// until when, and ends as if nothing had been; the other installation goes on.
func TestARateLimitIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		limit func(w *servertest.World)
		wait  time.Duration
	}{
		"the hour is used up": {func(w *servertest.World) {
			w.Sim.SetRateLimit(w.Install, 0)
			time.AfterFunc(50*time.Minute, func() { w.Sim.SetRateLimit(w.Install, 5000) }) // what the server was told holds
		}, time.Hour},
		"429": {func(w *servertest.World) {
			w.Sim.Fault(ghsim.Fault{
				Route: "POST */pulls", Status: http.StatusTooManyRequests, Body: `{"message":"Too many requests"}`, Header: http.Header{"Retry-After": {"600"}},
				Match: func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/acme/") },
			})
		}, 10 * time.Minute},
		"403 for a push": {func(w *servertest.World) {
			w.Sim.Fault(ghsim.Fault{
				Route: "POST */git-receive-pack", Status: http.StatusForbidden, Body: "You have exceeded a secondary rate limit", Header: http.Header{"Retry-After": {"600"}},
				Match: func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/acme/") },
			})
		}, 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble.Run(t, func(t *testing.T) { waitForLimit(t, c.limit, c.wait) })
		})
	}
}

func waitForLimit(t *testing.T, limit func(w *servertest.World), wait time.Duration) {
	w := servertest.Simulated(t, servertest.Files())
	w.Patience = 2 * time.Hour
	other, err := w.Sim.CreateRepo("octo-org", "gitops", ghsim.RepoOptions{Private: true, Files: servertest.Files()})
	if err != nil {
		t.Fatal(err)
	}
	told := &toldWaits{repo: w.Repo.ID, said: map[string]bool{}}
	w.OnSave = told.saved
	w.StartServer()
	// It strikes when dev has landed, which took git alone.
	var began time.Time
	strike := sync.OnceFunc(func() { limit(w); began = time.Now() })
	w.Sim.OnRequest(func(r ghsim.Request) {
		if r.Repository == w.Repo.ID && strings.HasSuffix(r.Route, "/git-receive-pack") {
			strike()
		}
	})
	w.InstallApp()
	if _, err := w.Sim.Install(w.App.ID, "octo-org", other); err != nil {
		t.Fatal(err)
	}
	w.Until("the other installation's pull request is open", func() bool { return len(w.Sim.PullRequests(other)) == 1 })
	if since := time.Since(began); since > time.Minute || len(w.Open()) > 0 {
		t.Errorf("it took %s, and %d are open in the one that is limited", since, len(w.Open()))
	}
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	since := time.Since(began)
	if since < wait || since > wait+10*time.Second {
		t.Errorf("it was opened after %s, want %s", since, wait)
	}
	if want := "until " + began.Add(wait).UTC().Format("15:04 UTC"); !told.has(want) {
		t.Errorf("the promotion did not say %q but %q", want, slices.Collect(maps.Keys(told.said)))
	}
	w.Story()
	check(t, w)
}

// toldWaits are what promotions of a repository said while they waited.
type toldWaits struct {
	repo int64
	mu   sync.Mutex
	said map[string]bool
}

func (w *toldWaits) saved(s *promotion.State) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, pipeline := range s.Pipelines {
		for _, p := range pipeline.Promotions {
			if s.Repo.ID == w.repo && p.Phase == promotion.PhaseWaiting {
				w.said[p.Message] = true
			}
		}
	}
}

func (w *toldWaits) has(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for said := range w.said {
		if strings.Contains(said, "Rate limited by GitHub") && strings.Contains(said, text) {
			return true
		}
	}
	return false
}
