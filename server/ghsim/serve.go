package ghsim

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

const maxBody = 64 << 20

// ServeHTTP answers everything: REST below /api/v3/ and without that prefix, git, and else the pages.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.date(w)
	if svc, name := gitService(r); svc != "" {
		s.serveGit(w, r, svc, name)
		return
	}
	if r.URL.Path == tokenPath {
		s.serveToken(w, r)
		return
	}
	path, prefixed := strings.CutPrefix(r.URL.EscapedPath(), "/api/v3")
	if r.URL.Path == "/api/graphql" {
		path = "/graphql"
	}
	if s.serveAPI(w, s.atPath(r, path)) {
		return
	}
	s.mu.Lock()
	pages := s.pages
	s.mu.Unlock()
	if pages == nil || prefixed || strings.HasPrefix(r.URL.Path, "/api/") {
		s.writeUnrouted(w)
		return
	}
	pages.ServeHTTP(w, r)
}

// serveAPI answers when some route matches.
func (s *Sim) serveAPI(w http.ResponseWriter, r *http.Request) bool {
	for _, mux := range s.muxes {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return true
		}
	}
	return false
}

func (s *Sim) writeUnrouted(w http.ResponseWriter) {
	s.write(w, notFound().documented("https://docs.github.com/rest"), true)
}

var (
	byID      = regexp.MustCompile(`^/repositories/(\d+)(/.*)?$`)
	protected = regexp.MustCompile(`^(/repos/[^/]+/[^/]+/branches/)(.+)(/protection)$`)
	commitRef = regexp.MustCompile(`^(/repos/[^/]+/[^/]+/commits/)(.+)(/(?:check-runs|check-suites|status|statuses|pulls))$`)
)

// atPath is r with its path in the form the routes have: repositories by ID become repositories by name, and
// slashes inside a ref are escaped, since a wildcard in the middle of a pattern takes one segment.
func (s *Sim) atPath(r *http.Request, escaped string) *http.Request {
	if m := byID.FindStringSubmatch(escaped); m != nil {
		escaped = "/repos/" + s.nameOf(m[1]) + m[2]
	}
	if m := commitRef.FindStringSubmatch(escaped); m != nil {
		escaped = m[1] + strings.ReplaceAll(m[2], "/", "%2F") + m[3]
	}
	if m := protected.FindStringSubmatch(escaped); m != nil {
		escaped = m[1] + strings.ReplaceAll(m[2], "/", "%2F") + m[3]
	}
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		plain = escaped
	}
	out := r.Clone(r.Context())
	out.Body = r.Body
	out.URL.Path, out.URL.RawPath = plain, escaped
	return out
}

func (s *Sim) nameOf(id string) string {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return "-/-"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if repo := s.repos[n]; repo != nil {
		return repo.fullName()
	}
	return "-/-"
}

// serveRoute is the way of every API request: body, fault, handler under the lock, record, answer.
func (s *Sim) serveRoute(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(w, r)
		if err != nil {
			s.write(w, failf(http.StatusBadRequest, "%v", err), true)
			return
		}
		underWay, done := s.inFlight.begin(r.Header.Get("Authorization"))
		defer done()
		fault := s.slowed(r, s.faults.take(rt.template(), r, body))
		c := &call{Sim: s, route: &rt, r: r, body: body, underWay: underWay}
		answer, entry := s.answer(c, fault)
		s.finish(w, r, answer, entry, fault)
	})
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, errors.New("the request body is too large")
	}
	return body, err
}

// answer runs the handler and builds the record of the request, all under the lock.
func (s *Sim) answer(c *call, fault *Fault) (reply, Request) {
	if c.route.refs {
		defer s.lockRefs(c.r)()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.now = s.now()
	answer := c.handle(fault).documented(c.route.docsURL())
	answer = c.conditional(answer)
	counted := c.count(answer)
	return c.rateHeaders(answer), c.record(answer, counted)
}

// handle is authentication, limits, visibility and permission, then the route's own work.
func (c *call) handle(fault *Fault) reply {
	var refused *reply
	c.who, refused = c.authenticate(c.r.Header.Get("Authorization"))
	if fault.strikes(Before) {
		return fault.reply()
	}
	for _, check := range []func() *reply{
		func() *reply { return refused }, c.checkKind, c.checkRate, c.checkSecondary, c.resolveRepo, c.checkPermission,
	} {
		if r := check(); r != nil {
			return *r
		}
	}
	answer := c.route.run(c)
	if c.repo != nil && !isRead(c.r.Method) && answer.status < 300 {
		c.repo.wrote = c.opts.Clock()
	}
	return c.replica(answer)
}
