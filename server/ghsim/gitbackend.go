package ghsim

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"strconv"
	"strings"
)

// gitService tells git's three requests from others: "info/refs", "git-upload-pack" or "git-receive-pack", and owner/name.
func gitService(r *http.Request) (service, name string) {
	for _, service := range []string{"info/refs", "git-upload-pack", "git-receive-pack"} {
		name, is := strings.CutSuffix(strings.Trim(r.URL.Path, "/"), "/"+service)
		if is && strings.Count(name, "/") == 1 && (r.Method == http.MethodPost) == (service != "info/refs") {
			return service, strings.TrimSuffix(name, ".git")
		}
	}
	return "", ""
}

// gitCall is one git request.
type gitCall struct {
	service string
	pushes  bool // asks for receive-pack, also while it only lists refs
	body    []byte
	who     principal
	repo    *repository
}

// serveGit answers a git request through git http-backend. Bodies are held in memory on both sides: CGI takes no chunked
// request, and a fault may have to take the answer away.
func (s *Sim) serveGit(w http.ResponseWriter, r *http.Request, service, name string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<30))
	if err != nil {
		http.Error(w, "the request body could not be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	g := &gitCall{service: service, pushes: service == "git-receive-pack" || r.URL.Query().Get("service") == "git-receive-pack", body: body}
	route := r.Method + " /{owner}/{repo}/" + service
	fault := s.slowed(r, s.faults.take(route, r, body))
	refused := s.admit(g, r, name)
	var answer reply
	switch {
	case fault.strikes(Before):
		answer = fault.reply()
	case refused != nil:
		answer = *refused
	default:
		answer = s.runGit(g, r)
	}
	s.finish(w, r, answer, s.gitRecord(g, r, route, answer.status), fault)
}

func (s *Sim) gitRecord(g *gitCall, r *http.Request, route string, status int) Request {
	entry := Request{
		Time: s.opts.Clock(), Method: r.Method, Route: route, Path: r.URL.Path, Status: status, Installation: g.who.installationID(),
	}
	if actor := g.who.actor(); actor != nil {
		entry.Login = actor.login
	}
	if g.repo != nil {
		entry.Repository = g.repo.id
	}
	return entry
}

// runGit lets git answer. A push holds the repository's push lock until its events are queued, so that what changed
// between is its own; whether a ref may move is git's own compare-and-swap.
func (s *Sim) runGit(g *gitCall, r *http.Request) reply {
	if g.service != "git-receive-pack" {
		return s.backend(g, r)
	}
	g.repo.push.Lock()
	defer g.repo.push.Unlock()
	if refused := s.judgePush(g, r.Header.Get("Content-Encoding")); refused != nil {
		return *refused
	}
	answer := s.backend(g, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refsChanged(g.repo, g.who.actor()); err != nil {
		s.log.Error().Err(err).Str("repository", g.repo.fullName()).Msg("cannot read the refs after a push")
		return reply{status: http.StatusInternalServerError, body: []byte(err.Error())}
	}
	return answer
}

func (s *Sim) backend(g *gitCall, r *http.Request) reply {
	in := r.Clone(r.Context())
	in.URL.Path = "/" + strconv.FormatInt(g.repo.id, 10) + ".git/" + g.service
	in.Body, in.ContentLength, in.TransferEncoding = io.NopCloser(bytes.NewReader(g.body)), int64(len(g.body)), nil
	in.Header.Del("Authorization")
	handler := &cgi.Handler{
		Path: s.git.bin, Args: []string{"http-backend"}, Dir: s.opts.Dir, Logger: log.New(io.Discard, "", 0), Stderr: io.Discard,
		Env: append(append([]string{}, s.git.env...), "GIT_PROJECT_ROOT="+s.opts.Dir, "GIT_HTTP_EXPORT_ALL=1",
			"REMOTE_USER=x-access-token", "GIT_PROTOCOL="+r.Header.Get("Git-Protocol")),
	}
	out := &memoryWriter{header: http.Header{}}
	handler.ServeHTTP(out, in)
	return reply{status: out.statusOr200(), header: out.header, body: out.body.Bytes()}
}

// memoryWriter keeps an answer instead of sending it.
type memoryWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (m *memoryWriter) Header() http.Header { return m.header }

func (m *memoryWriter) Write(b []byte) (int, error) { return m.body.Write(b) }

func (m *memoryWriter) WriteHeader(status int) {
	if m.status == 0 {
		m.status = status
	}
}

func (m *memoryWriter) statusOr200() int {
	if m.status == 0 {
		return http.StatusOK
	}
	return m.status
}
