package server_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// stride says how dense the matrices of kills and faults are. 0: each as dense
// as a run within minutes allows; from which point on is drawn by lot, so that
// many runs try them all.
var (
	stride = flag.Int("kill-stride", 0, "try every n-th point of each matrix of kills and faults; 1: all of them; 0: as each test says")
	offset = flag.Uint64("kill-offset", rand.Uint64(), "which points those are; a failing run names its own")
)

// everyNth is the distance of the points to try, of a matrix that says usual.
func everyNth(usual int) int {
	switch {
	case *stride > 0:
		return *stride
	case testing.Short():
		return 10 * usual
	}
	return usual
}

// atOnce is how many worlds live at the same time: more than there are
// processors, because restarts that look for lost answers wait for seconds.
const atOnce = 8

// points runs f for every usual-th point, some at once.
func points(t *testing.T, all []string, usual int, f func(t *testing.T, i int)) {
	t.Parallel()
	slots := make(chan struct{}, atOnce)
	began, tried := time.Now(), 0
	t.Run("points", func(t *testing.T) {
		for i := first(usual, len(all)); i < len(all); i += everyNth(usual) {
			tried++
			t.Run(all[i], func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				f(t, i)
			})
		}
	})
	t.Logf("%d of %d points (-kill-offset %d) in %s", tried, len(all), *offset, time.Since(began).Round(time.Second))
}

// first is the point to begin with.
func first(usual, points int) int { return int(*offset % uint64(min(everyNth(usual), max(points, 1)))) }

// TestKilledAtEveryRequest kills the product with SIGKILL at each request that
// it sends in the story, before the request has an effect, and at each write
// also after it, before the answer.
func TestKilledAtEveryRequest(t *testing.T) {
	requests, writes := storyLength(t)
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
	var kills atomic.Int64
	points(t, names, 20, func(t *testing.T, i int) {
		if killedAndRestarted(t, specs[i]) {
			kills.Add(1)
		}
	})
	t.Logf("%d kills at requests, each before a restart with the same data", kills.Load())
	if kills.Load() == 0 {
		t.Error("nothing was killed: this test shows nothing")
	}
}

// storyLength counts the requests of a story that nobody disturbs.
func storyLength(t *testing.T) (requests, writes int) {
	w := servertest.New(t, servertest.Files())
	w.StartProcess()
	w.InstallApp()
	w.Story()
	for _, fault := range w.Faults() {
		t.Error(fault)
	}
	for _, r := range w.Sim.Requests() {
		if r.Installation == 0 && r.Login != "" && !strings.HasSuffix(r.Login, "[bot]") {
			continue
		}
		requests++
		if servertest.IsWrite(r) {
			writes++
		}
	}
	return requests, writes
}

func killedAndRestarted(t *testing.T, spec servertest.KillSpec) bool {
	w := servertest.New(t, servertest.Files())
	w.Patience = 3 * time.Minute
	w.StartProcess()
	happened := w.KillAt(spec)
	w.KeepUp(servertest.Product, nil, "serve")
	w.InstallApp()
	w.Story()
	check(t, w)
	return happened()
}

// check compares the end of a story with what it should be.
func check(t *testing.T, w *servertest.World) {
	t.Helper()
	// An effect whose answer got lost is looked for after 3 s, and the story may
	// be over by then; what is lacking may still come, what is doubled stays.
	for deadline := time.Now().Add(10 * time.Second); len(w.Faults()) > 0 && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	w.Settle()
	for _, fault := range w.Faults() {
		t.Error(fault)
	}
	if t.Failed() {
		t.Logf("%s\n%s\n%s", w.Sketch(), servertest.List(w.Since(0)), w.Output())
	}
}
