package server_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// doneNotes notes which deliveries were done.
type doneNotes struct {
	worker.Log
	mu   sync.Mutex
	done map[string]bool
}

func (n *doneNotes) Done(ctx context.Context, d worker.Delivery) error {
	err := n.Log.Done(ctx, d)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.done[d.GUID] = n.done[d.GUID] || err == nil
	return err
}

func (n *doneNotes) count(guids ...string) (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, guid := range guids {
		if n.done[guid] {
			count++
		}
	}
	return count
}

// TestABlockedLaneHoldsUpNobody lets one repository wait for git, without an end, while
// deliveries go on coming for it and for others, whose lanes are all on its partition.
func TestABlockedLaneHoldsUpNobody(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Settle()
	w.StopServer()
	others := servertest.Mates(w.Repo.ID, 1, 20, false)
	w.Crowd(others)
	notes := &doneNotes{done: map[string]bool{}}
	w.WrapLog = func(l worker.Log) worker.Log { notes.Log = l; return notes }
	w.StartServer()
	held, release := w.HoldBackGit()
	defer release()
	files := map[string]string{".github/stagecoach.yml": servertest.Config + "# changed\n"}
	if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", files, "Change the pipeline"); err != nil {
		t.Fatal(err)
	}
	<-held
	send := func(guid string, repo int64) string {
		payload := fmt.Appendf(nil, `{"action":"completed","repository":{"id":%d,"default_branch":"main"},"check_run":{"id":5,"name":"e2e","head_sha":"%040d","status":"completed","conclusion":"success","app":{"id":9}}}`, repo, 1)
		if status, answer := w.Deliver(guid, servertest.Secret, "check_run", payload); status/100 != 2 {
			t.Fatalf("%s was answered %d: %s", guid, status, answer)
		}
		return guid
	}
	var blocked, free []string
	for i, id := range others {
		blocked = append(blocked, send(fmt.Sprint("blocked-", i), w.Repo.ID))
		free = append(free, send(fmt.Sprint("free-", i), id))
	}
	w.Until("all others are done", func() bool { return notes.count(free...) == len(free) })
	if n := notes.count(blocked...); n > 0 {
		t.Errorf("%d deliveries of the repository that stands still are done: the test shows nothing", n)
	}
}
