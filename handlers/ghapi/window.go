package ghapi

import (
	"slices"
	"sync"
	"time"
)

// window counts what is made in each minute and each hour, exactly: a limit that is
// let through in bursts would be twice as high at the wrong moment.
type window struct {
	mu    sync.Mutex
	times []time.Time // of what was made or has its place, sorted; those of an hour
}

func newWindow() *window { return &window{} }

// reserve takes the first place that is free, not before at, and returns its time.
// What is not urgent leaves some of each limit.
func (w *window) reserve(at time.Time, urgent bool) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := at.Add(-time.Hour)
	w.times = slices.DeleteFunc(w.times, func(t time.Time) bool { return t.Before(old) })
	for _, limit := range []struct {
		most int
		span time.Duration
	}{{contentMinute, time.Minute}, {contentHour, time.Hour}} {
		if !urgent {
			limit.most -= limit.most / contentKept
		}
		// The one that came as many places ago must be out of the span.
		if i := len(w.times) - limit.most; i >= 0 {
			if free := w.times[i].Add(limit.span); free.After(at) {
				at = free
			}
		}
	}
	i, _ := slices.BinarySearchFunc(w.times, at, time.Time.Compare)
	w.times = slices.Insert(w.times, i, at)
	return at
}

// cancel gives a place back; the zero time is none.
func (w *window) cancel(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.times, at); i >= 0 {
		w.times = slices.Delete(w.times, i, i+1)
	}
}
