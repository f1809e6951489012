package ghsim

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// When says on which side of a request's effect its fault strikes.
type When int

const (
	// Before leaves the request without any effect.
	Before When = iota
	// After lets the effect happen and takes away only its answer.
	After
)

// Fault makes matching requests fail. Faults are asked in the order they were set; the first that matches strikes.
type Fault struct {
	// Route is a glob over "METHOD template", as Request.Route shows it; * stands for any text. Empty: every route. Git is
	// "GET /{owner}/{repo}/info/refs", "POST /{owner}/{repo}/git-upload-pack" and "POST /{owner}/{repo}/git-receive-pack".
	Route string
	// Match narrows further, if not nil. It may read the body.
	Match func(*http.Request) bool
	When  When
	// Cut closes the connection without an answer. Go's client silently repeats a cut GET on a kept-alive connection.
	Cut bool
	// Status, Body and Header are the answer when the connection is not cut. Status 0: 500.
	Status int
	Body   string
	Header http.Header
	// Slow only holds the request back, before its effect or after, for a time of the wall clock or until the client has gone;
	// nothing else is wrong with it.
	Slow time.Duration
	// Times is how often it strikes. 0: once; -1: until removed.
	Times int
}

type armedFault struct {
	Fault
	route *regexp.Regexp
	left  int // -1: for ever
}

type faultList struct {
	mu  sync.Mutex
	all []*armedFault
}

// Fault arms a fault and returns what disarms it.
func (s *Sim) Fault(f Fault) (remove func()) {
	armed := &armedFault{Fault: f, route: glob(f.Route), left: f.Times}
	if f.Times == 0 {
		armed.left = 1
	}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.all = append(s.faults.all, armed)
	return func() { s.faults.disarm(armed) }
}

func glob(pattern string) *regexp.Regexp {
	if pattern == "" {
		pattern = "*"
	}
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
}

func (l *faultList) disarm(f *armedFault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.left = 0
}

// take finds the fault that strikes this request, and uses it up by one.
func (l *faultList) take(route string, r *http.Request, body []byte) *Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.all {
		if f.left == 0 || !f.route.MatchString(route) || !f.matches(r, body) {
			continue
		}
		if f.left > 0 {
			f.left--
		}
		return &f.Fault
	}
	return nil
}

func (f *armedFault) matches(r *http.Request, body []byte) bool {
	if f.Match == nil {
		return true
	}
	seen := r.Clone(r.Context())
	seen.Body = io.NopCloser(bytes.NewReader(body))
	return f.Match(seen)
}

func (f *Fault) reply() reply {
	status := f.Status
	if status == 0 {
		status = http.StatusInternalServerError
	}
	answer := reply{status: status, header: f.Header.Clone()}
	if f.Body != "" {
		answer.body = []byte(f.Body)
	} else {
		answer.body = obj{"message": "Server Error"}
	}
	return answer
}

// cut closes the client's connection, and so ends the request without an answer.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the server's own way, where hijacking is impossible
	}
	_ = conn.Close()
}
