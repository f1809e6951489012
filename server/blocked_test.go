package server_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/internal/bubble"
	"github.com/stagecoach-app/stagecoach/server/servertest"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// doneAt notes when deliveries are done.
type doneAt struct {
	worker.Log
	mu sync.Mutex
	at map[string]time.Time
}

func (d *doneAt) Done(ctx context.Context, of worker.Delivery) error {
	err := d.Log.Done(ctx, of)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		d.at[of.GUID] = time.Now()
	}
	return err
}

// slowest sends a delivery to each repository now and then for a time, and gives the
// longest that one took from its arrival until it was done.
func (d *doneAt) slowest(t *testing.T, w *servertest.World, repos []int64, round string, during time.Duration) time.Duration {
	t.Helper()
	const every = 10 * time.Second
	sent := map[string]time.Time{}
	for n := range int(during / every) {
		for _, repo := range repos {
			guid := fmt.Sprintf("%s-%d-%d", round, repo, n)
			sent[guid] = time.Now()
			payload := fmt.Appendf(nil, `{"action":"completed","repository":{"id":%d,"name":"copy-%[1]d","full_name":"acme/copy-%[1]d","default_branch":"main"},`+
				`"check_run":{"id":%d,"name":"e2e","head_sha":"%040d","status":"completed","conclusion":"success","app":{"id":9}},"sender":{"id":7,"login":"octocat","type":"User"}}`,
				repo, n+1, 1)
			if status, answer := w.Deliver(guid, servertest.Secret, "check_run", payload); status != 200 {
				t.Fatalf("a delivery was answered %d: %s", status, answer)
			}
		}
		time.Sleep(every)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	longest := time.Duration(0)
	for guid, at := range sent {
		done, ok := d.at[guid]
		if !ok {
			t.Errorf("%s was not done", guid)
		}
		longest = max(longest, done.Sub(at))
	}
	return longest
}

// TestALaneThatStandsStillDelaysNoOther holds one repository's work back for a minute, in
// which the others of its partition get what they get at any time. The clock is simulated,
// so that nothing but waiting takes time.
func TestALaneThatStandsStillDelaysNoOther(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) {
		w := servertest.Simulated(t, servertest.Files())
		done := &doneAt{at: map[string]time.Time{}}
		w.WrapLog = func(l worker.Log) worker.Log { done.Log = l; return done }
		w.StartServer()
		w.InstallApp()
		w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
		w.Settle()
		w.StopServer()
		others := servertest.Mates(w.Repo.ID, 1, 2, false)
		w.Crowd(others)
		w.StartServer()
		w.Settle()
		usual := done.slowest(t, w, others, "usual", 20*time.Second)
		held, release := w.HoldBackGit()
		files := map[string]string{".github/stagecoach.yml": servertest.Config + "# changed\n"}
		_, err := w.Sim.As("octocat").Commit(w.Repo, "main", files, "Change the pipeline")
		must(t, err)
		<-held
		began := time.Now()
		blocked := done.slowest(t, w, others, "blocked", time.Minute)
		if stood := time.Since(began); w.Idle() || stood < time.Minute {
			t.Errorf("after %s nothing stands still: this test shows nothing", stood)
		}
		release()
		t.Logf("the slowest took %s, and %s while a lane stood still", usual, blocked)
		if blocked > usual {
			t.Errorf("the slowest took %s while a lane stood still, and %s otherwise", blocked, usual)
		}
	})
}
