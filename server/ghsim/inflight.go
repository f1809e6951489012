package ghsim

import (
	"net/http"
	"sync"
	"time"
)

// inFlight counts the requests under way by credential.
type inFlight struct {
	mu  sync.Mutex
	all map[string]int
}

// begin counts a request in, and gives how many there are now and what counts it out.
func (f *inFlight) begin(credential string) (now int, done func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[string]int{}
	}
	f.all[credential]++
	return f.all[credential], func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.all[credential]--; f.all[credential] == 0 {
			delete(f.all, credential)
		}
	}
}

// slowed holds a request back before its effect, if its fault says so.
func (s *Sim) slowed(r *http.Request, f *Fault) *Fault {
	if f != nil && f.When == Before {
		s.hold(r, f)
	}
	return f
}

// hold waits as long as a slow fault says, or until the client has gone, or the simulator closes.
func (s *Sim) hold(r *http.Request, f *Fault) {
	if f.Slow <= 0 {
		return
	}
	timer := time.NewTimer(f.Slow)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	case <-s.hooks.ctx.Done():
	}
}

// strikes says whether a fault takes effect or answer away on that side; a slow one does neither.
func (f *Fault) strikes(when When) bool { return f != nil && f.Slow == 0 && f.When == when }
