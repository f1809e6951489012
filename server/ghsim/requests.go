package ghsim

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// Request is one request as the simulator saw it, API or git.
type Request struct {
	Time   time.Time
	Method string
	// Route is the method and template of GitHub's API description, such as "PATCH /repos/{owner}/{repo}/issues/{issue_number}".
	Route string
	Path  string
	// Status is what was answered; 0 when a fault cut the connection before the request had an effect.
	Status int
	// Installation made the request; 0 for an App's JWT, a person or nobody.
	Installation int64
	// Login is who acts: a person, SLUG[bot], or empty for nobody.
	Login string
	// Repository is the ID of the repository it concerned, 0 for none.
	Repository int64
	// Conditional says that the client sent If-None-Match or If-Modified-Since.
	Conditional bool
	// Counted says that it was charged to the primary rate limit: no 304, no git, no JWT call.
	Counted bool
	// Cut says that a fault closed the connection instead of answering.
	Cut bool
}

// Counts sums up what installations requested.
type Counts struct {
	// Reads and Writes were charged to the rate limit; NotModified are the 304s, which were not.
	Reads, NotModified, Writes int
	// Fetches and Pushes are POSTs to git-upload-pack and git-receive-pack that were let in.
	Fetches, Pushes int
}

// Mark is a place in the list of requests; 0 is its beginning.
type Mark int

type requestLog struct {
	mu       sync.Mutex
	all      []Request
	watchers []func(Request)
}

func (l *requestLog) add(r Request) {
	l.mu.Lock()
	l.all = append(l.all, r)
	watchers := l.watchers
	l.mu.Unlock()
	for _, watch := range watchers {
		watch(r)
	}
}

// Requests lists all requests so far, oldest first.
func (s *Sim) Requests() []Request {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	return append([]Request(nil), s.requests.all...)
}

// Mark remembers the present, for Counts.
func (s *Sim) Mark() Mark {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	return Mark(len(s.requests.all))
}

// Counts sums up the requests that installations made since a mark.
func (s *Sim) Counts(since Mark) Counts { return CountRequests(s.Requests()[since:]) }

// CountRequests sums up those of the requests that an installation made; filter the list first to count for one repository.
func CountRequests(requests []Request) Counts {
	var c Counts
	for _, r := range requests {
		if r.Installation != 0 {
			c.add(r)
		}
	}
	return c
}

func (c *Counts) add(r Request) {
	switch {
	case strings.HasSuffix(r.Route, "/git-upload-pack"):
		c.Fetches += letIn(r)
	case strings.HasSuffix(r.Route, "/git-receive-pack"):
		c.Pushes += letIn(r)
	case r.Status == http.StatusNotModified:
		c.NotModified++
	case !r.Counted:
	case isRead(r.Method):
		c.Reads++
	default:
		c.Writes++
	}
}

func letIn(r Request) int {
	if r.Status == http.StatusOK {
		return 1
	}
	return 0
}

// OnRequest calls f for every later request, after its effect and before the client has its answer. f is called by several
// goroutines at once.
func (s *Sim) OnRequest(f func(Request)) {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	s.requests.watchers = append(append([]func(Request){}, s.requests.watchers...), f)
}

func (c *call) record(answer reply, counted bool) Request {
	r := Request{
		Time: c.opts.Clock(), Method: c.r.Method, Route: c.route.template(), Path: c.r.URL.EscapedPath(), Status: answer.status,
		Conditional: c.r.Header.Get("If-None-Match")+c.r.Header.Get("If-Modified-Since") != "", Counted: counted, Installation: c.who.installationID(),
	}
	if actor := c.who.actor(); actor != nil {
		r.Login = actor.login
	}
	if c.repo != nil {
		r.Repository = c.repo.id
	}
	return r
}
