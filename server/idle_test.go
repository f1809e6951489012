package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/internal/bubble"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestAnIdleHour lets an hour and a half pass, in which the installation's token runs
// out, over a promotion that waits to be merged: it costs nothing but the sweep's one
// request a minute. What comes then costs what it costs at any time, and one token.
func TestAnIdleHour(t *testing.T) {
	t.Parallel()
	bubble.Run(t, func(t *testing.T) {
		w := servertest.Simulated(t, servertest.Files())
		w.StartServer()
		w.InstallApp()
		w.StoryToStaging()
		w.Settle()
		w.AskForProd()
		const idle = 90 * time.Minute
		mark := w.Sim.Mark()
		time.Sleep(idle)
		asked := map[string]int{}
		for _, r := range w.Sim.Requests()[mark:] {
			asked[r.Route]++
		}
		t.Logf("in %s: %v", idle, asked)
		sweeps := asked["GET /app/hook/deliveries"]
		delete(asked, "GET /app/hook/deliveries")
		if len(asked) > 0 || sweeps < 88 || sweeps > 91 {
			t.Errorf("%d looks for failed deliveries, and besides %v", sweeps, asked)
		}
		mark = w.Sim.Mark()
		if _, err := w.Sim.As("octocat").Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
			t.Fatal(err)
		}
		w.Finished()
		w.Settle()
		after := w.Sim.Counts(mark)
		tokens := 0
		for _, r := range w.Sim.Requests()[mark:] {
			if strings.HasSuffix(r.Route, "/access_tokens") {
				tokens++
			}
		}
		t.Logf("after it: %+v, and %d tokens", after, tokens)
		if want := (ghsim.Counts{Reads: 2, Writes: 3}); tokens != 1 || after.Reads > want.Reads || after.Writes > want.Writes {
			t.Errorf("the merge then took %+v and %d tokens, want at most %+v and one", after, tokens, want)
		}
	})
}
