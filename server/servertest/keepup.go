package servertest

import (
	"sync/atomic"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// KeepUp does for the process what an operator and GitHub do, until the test
// ends: it starts it anew, on the same data directory, whenever it is gone, and
// has each delivery sent again that did not get through. before is called ahead
// of each new start; nil: nothing is done there.
func (w *World) KeepUp(program string, before func(), args ...string) {
	w.TB.Helper()
	path := Build(w.TB, program)
	stop, done := make(chan struct{}), make(chan struct{})
	w.TB.Cleanup(func() {
		close(stop)
		<-done
	})
	go func() {
		defer close(done)
		for failed := 0; failed < 20; { // then the test says what it waited for in vain
			select {
			case <-stop:
				return
			case <-w.process().ended:
				if before != nil {
					before()
				}
				kills := w.kills.Load()
				if failed++; w.launch(path, args) == nil || w.kills.Load() != kills {
					failed = 0 // it lives, or would, but for the test
				}
			case <-time.After(20 * time.Millisecond):
				w.RedeliverFailed()
			}
		}
	}()
}

// Settle waits until nothing is under way: every delivery got through and is
// done, and the server has been quiet for a moment.
func (w *World) Settle() {
	w.TB.Helper()
	quiet, last := time.Now(), w.Sim.Mark()
	w.Until("nothing is under way", func() bool {
		if now := w.Sim.Mark(); now != last || !w.allThrough() || !w.Idle() {
			quiet, last = time.Now(), now
		}
		return time.Since(quiet) > 200*time.Millisecond
	})
}

func (w *World) allThrough() bool {
	for _, d := range w.latest() {
		if !d.OK() {
			return false
		}
	}
	return true
}

// Idle reports whether the server says that it holds no delivery.
func (w *World) Idle() bool {
	shown, err := w.events()
	return err == nil && shown.Stats.Waiting+shown.Stats.InFlight == 0
}

// Starts is how often the process was started.
func (w *World) Starts() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.starts
}

// RedeliverFailed has GitHub send each delivery again that failed and did not
// get through since.
func (w *World) RedeliverFailed() {
	for guid, d := range w.latest() {
		if !d.OK() && w.sent[guid] != d.ID {
			w.sent[guid] = d.ID
			_ = w.Sim.Redeliver(guid) // one that is under way is no failure yet
		}
	}
}

// latest is the last try of each delivery.
func (w *World) latest() map[string]ghsim.Delivery {
	out := map[string]ghsim.Delivery{}
	for _, d := range w.Sim.Deliveries() {
		out[d.GUID] = d
	}
	return out
}

// KillSpec says at which request to GitHub the process is killed.
type KillSpec struct {
	Nth    int    // from 1
	Writes bool   // only requests that change something count
	Route  string // only requests on this route count, see ghsim.Fault; empty: on any
	When   ghsim.When
}

// KillAt lets the process be killed at its Nth request: before that has an
// effect, or after, when the answer is lost. It returns whether that happened,
// to be asked at the end.
func (w *World) KillAt(spec KillSpec) (happened func() bool) { return w.At(spec, w.Kill) }

// At is KillAt for anything that may happen to a process.
func (w *World) At(spec KillSpec, do func()) (happened func() bool) {
	var seen, done atomic.Int64
	w.Sim.OnRequest(func(r ghsim.Request) {
		if r.Cut && spec.When == ghsim.After && done.CompareAndSwap(0, 1) {
			do()
		}
	})
	w.Sim.Fault(ghsim.Fault{Route: spec.Route, When: spec.When, Cut: true, Match: func(r *request) bool {
		if r.RemoteAddr == "" || spec.Writes && !changes(r) || seen.Add(1) != int64(spec.Nth) {
			return false // people act without a connection
		}
		if spec.When == ghsim.Before {
			done.Store(1)
			do()
		}
		return true
	}})
	return func() bool { return done.Load() == 1 }
}
