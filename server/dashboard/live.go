package dashboard

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// mostStreams and mostOfOne bound the streams that are open, of all people and of one
	// session.
	mostStreams = 1000
	mostOfOne   = 12
	// beat is how often an open stream says that it is, and looks whether it may go on.
	beat = 20 * time.Second
	// streamWrite is how long a browser may take to read.
	streamWrite = 10 * time.Second
)

// viewers counts open streams.
type viewers struct {
	mu  sync.Mutex
	all int
	of  map[string]int // by session
}

// enter takes a place; false: there is none.
func (v *viewers) enter(session string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all >= mostStreams || v.of[session] >= mostOfOne {
		return false
	}
	if v.of == nil {
		v.of = map[string]int{}
	}
	v.all++
	v.of[session]++
	return true
}

func (v *viewers) leave(session string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all--
	if v.of[session]--; v.of[session] == 0 {
		delete(v.of, session)
	}
}

// stream tells a browser each time that the repository's state has changed, as
// server-sent events. The page is then asked for again: it is the same with a script
// and without.
func (v *visit) stream() error {
	if !v.live.enter(v.who.id) {
		http.Error(v.w, "Too many pages are open.", http.StatusServiceUnavailable)
		return nil
	}
	defer v.live.leave(v.who.id)
	changed, stop, err := v.opts.Store.Follow(v.r.Context(), v.repo.ID)
	if err != nil {
		return err
	}
	defer stop()
	revision, err := v.opts.Store.Revision(v.r.Context(), v.repo.ID)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies must not gather what is sent
	v.w.WriteHeader(http.StatusOK)
	v.follow(changed, revision)
	return nil
}

// follow sends until somebody goes away or may look no more.
func (v *visit) follow(changed <-chan struct{}, revision uint64) {
	pulse := time.NewTicker(beat)
	defer pulse.Stop()
	if !v.send("retry: 2000\nevent: at\ndata: %d\n\n", revision) {
		return
	}
	for {
		select {
		case <-v.r.Context().Done():
			return
		case <-v.over:
			return
		case <-changed:
		case <-pulse.C:
			if !v.mayGoOn() || !v.send(": still here\n\n") {
				return
			}
		}
		now, err := v.opts.Store.Revision(v.r.Context(), v.repo.ID)
		if err != nil {
			return // the browser asks again
		}
		if now != revision {
			if revision = now; !v.mayGoOn() || !v.send("event: changed\ndata: %d\n\n", revision) {
				return
			}
		}
	}
}

// mayGoOn reports whether the session lives and the person still sees the repository.
func (v *visit) mayGoOn() bool {
	who, _, err := v.sessionOf(v.r.Context(), v.who.id)
	if err != nil {
		return false
	}
	seen, err := v.look(v.r.Context(), who, v.repo.FullName())
	return err == nil && seen.id == v.repo.ID
}

func (v *visit) send(format string, values ...any) bool {
	control := http.NewResponseController(v.w)
	// The server's own limit is for pages; without one a browser that reads nothing
	// would hold its place for ever. Writers in tests know no deadlines.
	_ = control.SetWriteDeadline(time.Now().Add(streamWrite))
	if _, err := fmt.Fprintf(v.w, format, values...); err != nil {
		return false
	}
	return control.Flush() == nil
}
