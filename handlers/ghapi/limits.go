package ghapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// limitError is a rate limit. Until it ends, no request of the installation is sent.
type limitError struct {
	until time.Time
	kept  bool // some is left, and kept for what people wait for
}

func (e *limitError) Error() string {
	said := "GitHub limits our requests until "
	if e.kept {
		said = "what is left of GitHub's hourly limit is kept for commands until "
	}
	return said + e.until.UTC().Format("15:04:05 UTC")
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
	hourly  hourly
}

func newLimits(next http.RoundTripper, now func() time.Time) *limits {
	return &limits{next: next, now: now}
}

func (l *limits) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := l.holds(isUrgent(req.Context())); err != nil {
		closeBody(req)
		return nil, err
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
	return nil, &limitError{until: l.struck(resp)}
}

// holds says why a request may not be sent now; nil: it may.
func (l *limits) holds(urgent bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.until.After(now) {
		return &limitError{until: l.until}
	}
	if until, kept := l.hourly.kept(now, urgent); kept {
		return &limitError{until: until, kept: true}
	}
	return nil
}

// heard notes an answer that is no limit.
func (l *limits) heard(resp *http.Response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hourly.heard(resp.Header)
	if resp.StatusCode < 400 {
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
	if resp.StatusCode == http.StatusOK {
		return limitedGraphQL(resp)
	}
	if resp.StatusCode != http.StatusForbidden {
		return resp.StatusCode == http.StatusTooManyRequests
	}
	if resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0" {
		return true
	}
	said := strings.ToLower(message(resp))
	return strings.Contains(said, "secondary rate limit") || strings.Contains(said, "abuse detection")
}

// limitedGraphQL reports whether GraphQL says so: its errors come with a 200.
// https://docs.github.com/en/graphql/overview/rate-limits-and-node-limits-for-the-graphql-api
func limitedGraphQL(resp *http.Response) bool {
	if resp.Request == nil || !strings.HasSuffix(resp.Request.URL.Path, "/graphql") {
		return false
	}
	var answer struct {
		Errors []struct{ Type, Message string }
	}
	if json.Unmarshal(peek(resp), &answer) != nil {
		return false
	}
	return slices.ContainsFunc(answer.Errors, func(e struct{ Type, Message string }) bool {
		return e.Type == "RATE_LIMITED" || strings.Contains(strings.ToLower(e.Message), "secondary rate limit")
	})
}

// message is what GitHub says in an error's body, which stays readable.
func message(resp *http.Response) string {
	raw := peek(resp)
	var body struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &body) != nil {
		return fmt.Sprintf("%.200s", raw)
	}
	return body.Message
}

// peek reads the beginning of a body, which stays readable.
func peek(resp *http.Response) []byte {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what cannot be read says nothing
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(raw), resp.Body), resp.Body}
	return raw
}
