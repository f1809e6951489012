package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"time"
)

// metrics shows the event log in the text form of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats).
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	stats, err := s.log.Stats(r.Context())
	if err != nil {
		http.Error(w, "The event log cannot be read: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	age := 0.0
	if !stats.Oldest.IsZero() {
		age = time.Since(stats.Oldest).Seconds()
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	for _, m := range []struct {
		name, help string
		value      float64
	}{
		{"stagecoach_events_waiting", "Deliveries accepted and not yet handed to a worker.", float64(stats.Waiting)},
		{"stagecoach_events_in_flight", "Deliveries that a worker holds.", float64(stats.InFlight)},
		{"stagecoach_events_retrying", "Deliveries that wait for their next try.", float64(stats.Retrying)},
		{"stagecoach_events_aside", "Deliveries that were set aside; see stagecoach events.", float64(stats.Aside)},
		{"stagecoach_events_oldest_seconds", "Age of the oldest delivery that is not done.", age},
		{"stagecoach_repositories", "Repositories known to the app.", float64(len(s.store.Repos(r.Context())))},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s gauge\n%s %g\n", m.name, m.help, m.name, m.name, m.value)
	}
}

// equal compares secrets in a time that tells nothing of either.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
