package main

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// wire carries requests to the simulated GitHub, and notes when each was under way:
// from its sending until its answer was read.
type wire struct {
	mu    sync.Mutex
	spans []span
}

type span struct {
	from, to time.Time
	opens    bool // a pull request
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	s := span{from: time.Now(), opens: r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/pulls")}
	resp, err := http.DefaultTransport.RoundTrip(r)
	ended := sync.OnceFunc(func() { w.note(s) })
	if err != nil {
		ended()
		return nil, err
	}
	resp.Body = &noted{resp.Body, ended}
	return resp, nil
}

func (w *wire) note(s span) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.to = time.Now()
	w.spans = append(w.spans, s)
}

// noted tells when a body was read to its end or closed.
type noted struct {
	io.ReadCloser
	ended func()
}

func (n *noted) Read(p []byte) (int, error) {
	k, err := n.ReadCloser.Read(p)
	if err != nil {
		n.ended()
	}
	return k, err
}

func (n *noted) Close() error {
	n.ended()
	return n.ReadCloser.Close()
}

// between gives the time from a moment until the answer to the first pull request that
// was opened after it, and in how much of it some request was under way. It forgets all
// that it noted.
func (w *wire) between(from time.Time) (all, busy time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortFunc(w.spans, func(a, b span) int { return a.from.Compare(b.from) })
	var to time.Time
	for _, s := range w.spans {
		if s.opens && s.from.After(from) {
			to = s.to
			break
		}
	}
	at := from
	for _, s := range w.spans {
		begin, end := later(s.from, at), earlier(s.to, to)
		if begin.Before(end) {
			busy += end.Sub(begin)
			at = end
		}
	}
	w.spans = nil
	return to.Sub(from), busy
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
