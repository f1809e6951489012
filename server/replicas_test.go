package server_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// fleet is a world with three replicas, of which the first has every lane.
func fleet(t *testing.T) (*servertest.World, *servertest.Fleet) {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	w.Patience = 2 * time.Minute
	return w, w.StartFleet(3)
}

// aroundThePush are the points at which something happens to a replica, by ghsim.When.
var aroundThePush = []string{"before the push", "after the push"}

// TestAnotherReplicaGoesOn kills the replica that works, in the middle of a step.
func TestAnotherReplicaGoesOn(t *testing.T) {
	points(t, aroundThePush, 2, func(t *testing.T, i int) {
		w, f := fleet(t)
		var killed time.Time
		happened := w.At(servertest.KillSpec{Nth: 1, Route: pushRoute, When: ghsim.When(i)}, func() {
			killed = time.Now()
			f.Kill(0)
		})
		w.InstallApp()
		w.Until("the first replica is dead", happened)
		w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
		if took := time.Since(killed); took > 30*time.Second {
			t.Errorf("it took %s until another went on", took)
		} else {
			t.Logf("another went on, past the next promotion, %s after the kill", took.Round(100*time.Millisecond))
		}
		w.Story()
		check(t, w)
	})
}

// TestAFrozenReplicaDoesNoHarm stops the replica that works in the middle of a step,
// lets others go on, and lets it come back.
func TestAFrozenReplicaDoesNoHarm(t *testing.T) {
	points(t, aroundThePush, 2, func(t *testing.T, i int) {
		w, f := fleet(t)
		happened := w.At(servertest.KillSpec{Nth: 1, Route: pushRoute, When: ghsim.When(i)}, func() { f.Freeze(0) })
		w.InstallApp()
		w.Until("the first replica is frozen", happened)
		w.StoryToStaging()
		f.Thaw(0)
		w.StoryToProd()
		check(t, w)
		if f.Gone(0) {
			t.Errorf("the frozen replica ended\n%s", w.Output())
		}
	})
}
