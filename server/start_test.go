package server_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestAStartWithItsDataCostsNothing starts a server over the data of 20 repositories
// whose promotions wait. DESIGN, section 8, allows one counted request for each.
func TestAStartWithItsDataCostsNothing(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Settle()
	w.StopServer()
	w.Crowd(servertest.Mates(w.Repo.ID, 1, 19, true))
	mark := w.Sim.Mark()
	w.StartServer()
	w.Until("it knows who it is", func() bool { return w.Sim.Mark() > mark })
	w.Settle()
	if cost := w.Since(mark); len(cost) > 0 {
		t.Errorf("the start cost\n%s", servertest.List(cost))
	}
	// It does know what waits: the merge of one goes on.
	mergeOpen(t, w)
	w.Until("staging is recorded", func() bool { return w.Recorded("staging") })
}
