package ghapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// limitError is a rate limit. Until it ends, no request of the installation is sent.
type limitError struct{ until time.Time }

func (e *limitError) Error() string {
	return "GitHub limits our requests until " + e.until.UTC().Format("15:04:05 UTC")
}

// limits notices rate limits and keeps quiet until they end. go-github v57 does
// so for 403 alone; GitHub also answers 429, and whoever goes on asking may be
// banned. https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
type limits struct {
	next http.RoundTripper
	now  func() time.Time

	mu      sync.Mutex
	until   time.Time
	strikes int // limits without a time, one after the other
}

func newLimits(next http.RoundTripper, now func() time.Time) *limits {
	return &limits{next: next, now: now}
}

func (l *limits) RoundTrip(req *http.Request) (*http.Response, error) {
	if until := l.quiet(); until.After(l.now()) {
		closeBody(req)
		return nil, &limitError{until}
	}
	resp, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if !limited(resp) {
		l.heard(resp)
		return resp, nil
	}
	_ = resp.Body.Close()
	return nil, &limitError{l.struck(resp)}
}

func (l *limits) quiet() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// heard notes an answer that is no limit.
func (l *limits) heard(resp *http.Response) {
	if resp.StatusCode < 400 {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.strikes = 0
	}
}

// struck notes a limit and returns its end. One without a time lasts a minute,
// and twice as long each time that it comes again.
func (l *limits) struck(resp *http.Response) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	until, told := toldUntil(resp.Header, l.now())
	if !told {
		until = l.now().Add(time.Minute << min(l.strikes, 5))
		l.strikes++
	}
	if until.After(l.until) {
		l.until = until
	}
	return l.until
}

// toldUntil is the time that the headers of a limit name.
func toldUntil(h http.Header, now time.Time) (until time.Time, told bool) {
	if s, err := strconv.Atoi(h.Get("Retry-After")); err == nil && s >= 0 {
		return now.Add(time.Duration(s) * time.Second), true
	}
	reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err == nil && h.Get("X-RateLimit-Remaining") == "0" {
		return time.Unix(reset, 0), true
	}
	return time.Time{}, false
}

// limited reports whether an answer is a rate limit. It leaves the body readable.
func limited(resp *http.Response) bool {
	if resp.StatusCode != http.StatusForbidden {
		return resp.StatusCode == http.StatusTooManyRequests
	}
	if resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0" {
		return true
	}
	said := strings.ToLower(message(resp))
	return strings.Contains(said, "secondary rate limit") || strings.Contains(said, "abuse detection")
}

// message is what GitHub says in an error's body, which stays readable.
func message(resp *http.Response) string {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what cannot be read says nothing
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(raw), resp.Body), resp.Body}
	var body struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &body) != nil {
		return fmt.Sprintf("%.200s", raw)
	}
	return body.Message
}
