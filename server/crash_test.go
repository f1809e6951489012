package server_test

import (
	"fmt"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestKilledAtEveryWrite runs a server that kills itself before, and one that
// does so after, each of its writes into the store and the event log.
func TestKilledAtEveryWrite(t *testing.T) {
	writes := storyWrites(t)
	var names []string
	for n := range writes {
		names = append(names, fmt.Sprintf("before write %d", n+1), fmt.Sprintf("after write %d", n+1))
	}
	var kills atomic.Int64
	points(t, names, 48, func(t *testing.T, i int) {
		if diedAndRestarted(t, i/2+1, i%2 == 1) {
			kills.Add(1)
		}
	})
	t.Logf("%d kills at writes, each before a restart with the same data", kills.Load())
	if kills.Load() == 0 {
		t.Error("nothing was killed: this test shows nothing")
	}
}

var counted = regexp.MustCompile(`writes: (\d+)`)

// storyWrites counts the writes of a story that nobody disturbs.
func storyWrites(t *testing.T) int {
	w := servertest.New(t, servertest.Files())
	w.StartProgram(servertest.Mortal)
	w.InstallApp()
	w.Story()
	check(t, w)
	if code := w.Terminate(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, w.Output())
	}
	found := counted.FindStringSubmatch(w.Output())
	if found == nil {
		t.Fatalf("it did not say how many writes there were\n%s", w.Output())
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

func diedAndRestarted(t *testing.T, nth int, after bool) bool {
	w := servertest.New(t, servertest.Files())
	w.Patience = 3 * time.Minute
	w.StartProgram(servertest.Mortal, "-nth", strconv.Itoa(nth), fmt.Sprintf("-after=%v", after))
	w.KeepUp(servertest.Mortal, nil)
	w.InstallApp()
	w.Story()
	check(t, w)
	return w.Starts() > 1
}
