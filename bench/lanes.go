package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// lanes measures how long deliveries take from their arrival until they are done,
// while one repository stands still, beside how long they take before and after that.
// A fifth of the others are on the partition of the one that stands still.
func lanes(ctx context.Context, b *bench) (rows []row, err error) {
	repos := b.pick(1000, 60)
	still := time.Duration(b.pick(60, 4)) * time.Second
	b.say("  one of %d lanes stands still for %s", repos, still)
	err = b.play(ctx, func(tb testing.TB) {
		w := waitingWorld(tb)
		near := servertest.Mates(w.Repo.ID, 1, repos/5, false)
		far := servertest.Mates(w.Repo.ID, 5_000_000, repos-1-len(near), true)
		w.Crowd(append(far, near...))
		t := newTraffic(w, far, near)
		w.StartServer()
		w.Settle()
		t.pace(b.pick(1000, 200)) // also warms up
		usual := t.run(ctx, still/2)
		release := standStill(w)
		blocked := t.run(ctx, still)
		release()
		w.Settle()
		usual = usual.with(t.run(ctx, still/2))
		rows = laneRows(fmt.Sprintf("one of %d lanes blocked for %s", repos, still), usual, blocked)
		rows = append(rows, value("deliveries a second that came meanwhile, at most a quarter of what can be done", float64(t.perSecond), "/s"))
	})
	return rows, err
}

// laneRows compare what the others took while one stood still with what all take.
func laneRows(name string, usual, blocked seen) []row {
	ratio := func(of string, a, b []time.Duration) row {
		return value(name+": p99 of "+of+" / undisturbed", float64(nth(a, 99))/float64(nth(b, 99)), "")
	}
	return []row{
		value("a delivery from its arrival to done, p50, undisturbed", ms(nth(usual.all(), 50)), "ms"),
		value("a delivery from its arrival to done, p99, undisturbed", ms(nth(usual.all(), 99)), "ms"),
		ratio("the others", blocked.all(), usual.all()).atMost(1.25),
		ratio("the others on its partition", blocked.near, usual.near).atMost(1.25),
		value(name+": deliveries of the others that were not done", float64(blocked.lost), "").exactly(0),
	}
}

// nth is the percentile of sorted times; of none it is for ever.
func nth(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return time.Duration(1<<63 - 1)
	}
	return sorted[len(sorted)*percent/100]
}

// waitingWorld is a world in which a pull request waits to be merged. Its server is
// stopped.
func waitingWorld(tb testing.TB) *servertest.World {
	w := servertest.New(tb, servertest.Files())
	w.Patience = 5 * time.Minute
	w.StartServer()
	w.InstallApp()
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Settle()
	w.StopServer()
	return w
}

// standStill holds back git's answers for the world's repository, and lets its lane
// wait for one. It returns when that is so.
func standStill(w *servertest.World) (release func()) {
	held, release := w.HoldBackGit()
	files := map[string]string{".github/stagecoach.yml": servertest.Config + "# changed\n"}
	if _, err := w.Sim.As("octocat").Commit(w.Repo, "main", files, "Change the pipeline"); err != nil {
		w.TB.Fatal(err)
	}
	<-held
	return release
}
