package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// memory measures what the real binary has in memory when it knows many repositories
// and has worked on every one of those whose promotions wait, and what its start asked
// of GitHub.
func memory(ctx context.Context, b *bench) (rows []row, err error) {
	known, waiting := b.pick(10_000, 500), b.pick(1000, 50)
	b.say("  the memory of a server that knows %d repositories, %d with a promotion that waits", known, waiting)
	err = b.play(ctx, func(tb testing.TB) {
		w := waitingWorld(tb)
		ids := servertest.Mates(w.Repo.ID, 1, known-1, true)
		w.Crowd(ids[:waiting-1])
		w.Strangers(ids[waiting-1:])
		mark := w.Sim.Mark()
		w.StartProcess()
		w.Settle()
		start := w.Sim.Counts(mark)
		t := newTraffic(w, ids[:waiting-1], nil)
		mark = w.Sim.Mark()
		if err := w.Sim.As("octocat").SetStatus(w.Repo, w.Sim.Branches(w.Repo)["main"], "nobody/asks", "success", ""); err != nil {
			tb.Fatal(err)
		}
		w.Settle()
		first := w.Sim.Counts(mark)
		mark = w.Sim.Mark()
		for _, id := range ids[:waiting-1] {
			t.send(id, nil)
		}
		w.Settle()
		knows(tb, w.Get("/metrics"), known, waiting)
		now, most, err := resident(w.PID())
		if err != nil {
			tb.Fatal(err)
		}
		rows = memoryRows(fmt.Sprintf("%d repositories known, %d promotions waiting", known, waiting), now, most)
		rows = append(rows, startRows(waiting, start, first, w.Sim.Counts(mark))...)
	})
	return rows, err
}

// knows fails when the metrics do not show what was to be measured. GitHub has none of
// the copies, so that the daily comparison, which takes all day, drops some meanwhile.
func knows(tb testing.TB, metrics string, known, waiting int) {
	repositories, waits := 0.0, 0.0
	for line := range strings.Lines(metrics) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.ParseFloat(text, 64) // a comment is no number
		switch {
		case name == "stagecoach_repositories":
			repositories = n
		case strings.HasPrefix(name, "stagecoach_promotions{") && strings.Contains(name, `phase="waiting"`):
			waits += n
		}
	}
	few := 1 + known/500
	if int(repositories) > known || int(waits) > waiting || int(repositories) < known-few || int(waits) < waiting-few {
		tb.Fatalf("the server knows %v repositories and %v promotions that wait, not %d and %d", repositories, waits, known, waiting)
	}
}

func memoryRows(name string, now, most float64) []row {
	return []row{
		value("resident memory, "+name, now, "MiB").atMost(512),
		value("resident memory at most since its start, "+name, most, "MiB").atMost(512),
	}
}

// startRows count what a start asks of GitHub, then what the first delivery to a
// repository asks after it, then what one to each of the copies does. These are not on
// GitHub, so that their records are compared with nothing.
func startRows(waiting int, start, first, others ghsim.Counts) []row {
	counted := func(c ghsim.Counts) float64 { return float64(c.Reads + c.Writes) }
	return []row{
		value(fmt.Sprintf("counted requests of a start, %d repositories with live promotions", waiting), counted(start), "").atMost(1),
		value("counted requests for the first delivery to one of them: its record is compared", counted(first), "").atMost(1),
		value("counted requests for a delivery to each of them that concerns nothing, that comparison apart", counted(others), "").exactly(0),
	}
}
