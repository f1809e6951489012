package registry

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tooMany says that a registry's limit is reached.
type tooMany struct {
	host string
	wait time.Duration
}

func (e *tooMany) Error() string {
	return fmt.Sprintf("the registry %s limits how often it may be asked; it is asked again in %s", e.host, e.wait.Round(time.Second))
}

// The waits where a registry says that its limit is reached, but not for how long.
const (
	shortWait = time.Minute
	longWait  = 6 * time.Hour // no wait is longer: windows of Docker Hub are of 6 hours
)

// mayAsk is an error until the limit of a host is over.
func (w *wire) mayAsk(host string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	wait := w.until[host].Sub(w.now())
	if wait <= 0 {
		delete(w.until, host)
		return nil
	}
	return &tooMany{host, wait}
}

// heed takes what an answer says of limits.
func (w *wire) heed(resp *http.Response) error {
	host := resp.Request.URL.Host
	if resp.StatusCode != http.StatusTooManyRequests {
		if left, window, ok := remaining(resp.Header); ok && left <= 0 {
			w.hold(host, window/4) // the window slides: some of it is free again sooner
		}
		return nil
	}
	_ = resp.Body.Close()
	wait := w.told(resp.Header)
	w.hold(host, wait)
	return &tooMany{host, wait}
}

func (w *wire) hold(host string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until[host] = w.now().Add(wait)
}

// told is how long an answer says to wait: Retry-After in seconds or as a date,
// else what the window of Docker Hub's limit leaves
// (https://docs.docker.com/docker-hub/usage/pulls/).
func (w *wire) told(h http.Header) time.Duration {
	wait := shortWait
	after := h.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil {
		wait = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		wait = at.Sub(w.now())
	} else if _, window, ok := remaining(h); ok {
		wait = window / 4
	}
	return min(max(wait, time.Second), longWait)
}

// remaining reads ratelimit-remaining: 76;w=21600.
func remaining(h http.Header) (left int, window time.Duration, ok bool) {
	count, rest, _ := strings.Cut(h.Get("RateLimit-Remaining"), ";")
	left, err := strconv.Atoi(strings.TrimSpace(count))
	seconds, werr := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(rest), "w="))
	if err != nil || werr != nil || seconds <= 0 {
		return 0, 0, false
	}
	return left, min(time.Duration(seconds)*time.Second, longWait), true
}
