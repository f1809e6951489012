package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/rs/zerolog"
)

// warnings keeps the last warnings and errors of the server's log, for when the
// story does not end well.
type warnings struct {
	mu   sync.Mutex
	seen []string
}

const mostWarnings = 5

// Write is for lines without a level: none is kept.
func (w *warnings) Write(p []byte) (int, error) { return len(p), nil }

// WriteLevel keeps what is a warning or worse.
func (w *warnings) WriteLevel(level zerolog.Level, p []byte) (int, error) {
	if level < zerolog.WarnLevel || level == zerolog.NoLevel {
		return len(p), nil
	}
	var line struct{ Message, Error string }
	if err := json.Unmarshal(p, &line); err != nil {
		return len(p), nil // no line of ours
	}
	text := line.Message
	if line.Error != "" {
		text = fmt.Sprintf("%s: %s", line.Message, line.Error)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.seen, text) {
		w.seen = append(w.seen, text)
	}
	w.seen = w.seen[max(0, len(w.seen)-mostWarnings):]
	return len(p), nil
}

func (w *warnings) last() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}
