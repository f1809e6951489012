package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palantir/go-githubapp/githubapp"

	"github.com/stagecoach-app/stagecoach/server/engine"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// swept is a world whose server looks for failed deliveries all the time.
func swept(t *testing.T) *servertest.World {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	w.SweepEvery = 400 * time.Millisecond
	w.Patience = 3 * time.Minute
	return w
}

// refusing has no room for what comes for the first time.
type refusing struct {
	githubapp.Scheduler
	mu   sync.Mutex
	seen map[string]bool // by GUID
}

func (f *refusing) Schedule(ctx context.Context, d githubapp.Dispatch) error {
	f.mu.Lock()
	again := f.seen[d.DeliveryID]
	f.seen[d.DeliveryID] = true
	f.mu.Unlock()
	if !again {
		return fmt.Errorf("%w: it is a test", githubapp.ErrCapacityExceeded)
	}
	return f.Scheduler.Schedule(ctx, d)
}

// Every first try fails: by turns it does not reach the server, and the server has no
// room for it. Nobody but the server asks for another.
func TestTheSweepGetsBackEveryDelivery(t *testing.T) {
	t.Parallel()
	w := swept(t)
	w.WrapScheduler = func(s githubapp.Scheduler) githubapp.Scheduler {
		return &refusing{Scheduler: s, seen: map[string]bool{}}
	}
	w.StartServer()
	defer w.Sim.DropWebhooks(func(d ghsim.Delivery) bool { return !d.Redelivery && d.ID%2 == 0 })()
	w.InstallApp()
	w.Story()
	check(t, w)
	failed := map[int]int{}
	for _, d := range w.Sim.Deliveries() {
		if !d.OK() {
			failed[d.StatusCode]++
		}
	}
	t.Logf("tries that failed, by status: %v", failed)
	if failed[http.StatusServiceUnavailable] == 0 || len(failed) < 2 {
		t.Errorf("tries failed with %v: this test shows nothing", failed)
	}
}

// aged writes into the store of a stopped server that it swept last a while ago.
func aged(t *testing.T, w *servertest.World, ago time.Duration) {
	t.Helper()
	w.StopServer()
	withStore(t, w, func(s *store.Store) {
		raw, revision, err := s.Memo(t.Context(), "sweep")
		if err != nil || revision == 0 {
			t.Fatalf("the memo of the sweep: %v", err)
		}
		duty := map[string]any{}
		if err := json.Unmarshal(raw, &duty); err != nil {
			t.Fatal(err)
		}
		duty["seen"], duty["daily"] = time.Now().Add(-ago), time.Now().Add(-ago)
		raw, _ = json.Marshal(duty)
		if _, err := s.SetMemo(t.Context(), "sweep", raw, revision); err != nil {
			t.Fatal(err)
		}
	})
}

// withStore opens the store of a server that is stopped.
func withStore(t *testing.T, w *servertest.World, f func(s *store.Store)) {
	t.Helper()
	e, err := engine.Open(t.Context(), engine.Options{Dir: w.DataDir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	s, err := store.Open(t.Context(), e.JetStream(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f(s)
}

// No delivery tells what happened, and none ever will: it happened in an outage that
// was longer than GitHub remembers, or GitHub never sent it.
func TestWhatNoDeliveryTellsOfIsFound(t *testing.T) {
	for name, ago := range map[string]time.Duration{"an outage of 4 days": 4 * 24 * time.Hour, "a day without a word": 25 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := swept(t)
			w.StartServer()
			w.InstallApp()
			w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
			w.Settle()
			undo := w.Sim.LoseWebhooks(func(ghsim.Delivery) bool { return true })
			mergeOpen(t, w)
			undo()
			aged(t, w, ago)
			mark := w.Sim.Mark()
			w.StartServer()
			w.Until("staging is recorded", func() bool { return w.Recorded("staging") })
			w.Settle()
			if c := w.Sim.Counts(mark); c.Reads > 4 {
				t.Errorf("finding it took %d counted reads:\n%s", c.Reads, servertest.List(w.Since(mark)))
			}
			w.StoryToProd()
			check(t, w)
		})
	}
}

// What did not move costs nothing that GitHub counts.
func TestADailyLookAtWhatStoodStillIsFree(t *testing.T) {
	t.Parallel()
	w := atProd(t)
	w.AskForProd()
	aged(t, w, 25*time.Hour)
	w.SweepEvery = 4 * time.Second // a slow machine must not look again before the first look is recorded
	mark := w.Sim.Mark()
	w.StartServer()
	looks := func() (n int) {
		for _, r := range w.Since(mark) {
			if strings.HasSuffix(r.Route, "/info/refs") {
				n++
			}
		}
		return n
	}
	w.Until("the repository was compared with git", func() bool { return looks() > 0 })
	w.Settle()
	if c := w.Sim.Counts(mark); c != (ghsim.Counts{}) || looks() != 1 {
		t.Errorf("it cost %+v and %d ref advertisements:\n%s", c, looks(), servertest.List(w.Since(mark)))
	}
}

// A day after the app lost a repository nothing of it is left.
func TestARepositoryThatWasTakenOutIsForgotten(t *testing.T) {
	for name, leave := range map[string]func(w *servertest.World) error{
		"taken out":   func(w *servertest.World) error { return w.Sim.RemoveFromInstallation(w.Install, w.Repo) },
		"uninstalled": func(w *servertest.World) error { return w.Sim.Uninstall(w.Install) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := swept(t)
			w.StartServer()
			w.InstallApp()
			w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
			w.Settle()
			clone := filepath.Join(w.DataDir, "git", strconv.FormatInt(w.Repo.ID, 10)+".git")
			if _, err := os.Stat(clone); err != nil {
				t.Fatal(err)
			}
			if err := leave(w); err != nil {
				t.Fatal(err)
			}
			w.Settle()
			aged(t, w, 25*time.Hour)
			w.StartServer()
			w.Until("its clone is gone", func() bool { _, err := os.Stat(clone); return os.IsNotExist(err) })
			w.StopServer()
			withStore(t, w, func(s *store.Store) {
				if _, known := s.Repo(t.Context(), w.Repo.ID); known {
					t.Error("the index still has it")
				}
				if _, _, err := s.Load(t.Context(), w.Repo.ID); err == nil {
					t.Error("its state is still there")
				}
			})
		})
	}
}
