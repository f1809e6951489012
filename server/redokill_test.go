package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestKilledWhileMadeAnew kills the process at each request while the edit of an open
// pull request is made anew: before it has an effect, and after each write before its
// answer. In the end there is one new commit on main's tip, one pull request, and one
// check run on each head.
func TestKilledWhileMadeAnew(t *testing.T) {
	requests, writes := redoLength(t)
	var specs []servertest.KillSpec
	var names []string
	for n := 1; n <= requests; n++ {
		specs = append(specs, servertest.KillSpec{Nth: n, When: ghsim.Before})
		names = append(names, fmt.Sprintf("before request %d", n))
	}
	for n := 1; n <= writes; n++ {
		specs = append(specs, servertest.KillSpec{Nth: n, Writes: true, When: ghsim.After})
		names = append(names, fmt.Sprintf("after write %d", n))
	}
	points(t, names, 10, func(t *testing.T, i int) {
		w := redoWorld(t)
		w.Patience = 3 * time.Minute
		happened := w.KillAt(specs[i])
		w.KeepUp(servertest.Product, nil, "serve")
		madeAnew(t, w)
		if !happened() {
			t.Error("nothing was killed: this test shows nothing")
		}
	})
}

func redoWorld(t *testing.T) *servertest.World {
	t.Helper()
	files := servertest.Files()
	files[".github/stagecoach.yml"] = redoConfig
	w := servertest.New(t, files)
	w.StartProcess()
	approved(t, w)
	return w
}

// redoLength counts what the server sends while nobody disturbs it.
func redoLength(t *testing.T) (requests, writes int) {
	t.Helper()
	w := redoWorld(t)
	mark := w.Sim.Mark()
	byHand(t, w, "main", "replicas: 3", "replicas: 5")
	until(w, "prod", "action_required", "Waiting for 1 of 1 approval")
	w.Settle()
	for _, r := range w.Since(mark) {
		if strings.HasSuffix(r.Login, "[bot]") {
			requests++
			if servertest.IsWrite(r) {
				writes++
			}
		}
	}
	return requests, writes
}

// madeAnew lets somebody change the line beside the edit, and judges what comes of it.
func madeAnew(t *testing.T, w *servertest.World) {
	t.Helper()
	before := w.Open()[0]
	byHand(t, w, "main", "replicas: 3", "replicas: 5")
	w.Until("the new head waits for approvals", func() bool {
		c, ok := w.Check("stagecoach/prod")
		return ok && len(w.Open()) == 1 && w.Open()[0].HeadSHA != before.HeadSHA && c.HeadSHA == w.Open()[0].HeadSHA
	})
	w.Settle()
	now := w.Open()[0]
	log, err := w.Sim.Log(w.Repo, now.Head)
	main := w.Sim.Branches(w.Repo)["main"]
	if err != nil || len(log) < 2 || log[0].SHA != now.HeadSHA || log[1].SHA != main || now.Number != before.Number {
		t.Errorf("#%d holds %v, want one commit on main at %s: %v", now.Number, log[:2], main, err)
	}
	of := map[string]int{}
	for _, c := range w.Sim.CheckRuns(w.Repo) {
		of[c.Name+" on "+c.HeadSHA]++
	}
	for name, n := range of {
		if n > 1 {
			t.Errorf("%d check runs %s", n, name)
		}
	}
	approve(t, w, now.HeadSHA)
	until(w, "prod", "success", "Waiting for merge: all gates are open")
	if _, err := w.Sim.As("octocat").Merge(w.Repo, now.Number, "squash"); err != nil {
		t.Fatal(err)
	}
	until(w, "prod", "success", "Landed in ")
	w.Until("the branch is gone", func() bool { return len(w.Sim.Branches(w.Repo)) == 1 })
}
