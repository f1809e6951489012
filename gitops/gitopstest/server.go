package gitopstest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Token is the password that the server wants of the user x-access-token.
const Token = "ghs_12345.abc-DEF_ghi"

// GitHubSettings are the git settings by which a server can what GitHub can.
var GitHubSettings = []string{"uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true"}

// Fault answers a request in the server's place. It returns false to let serve
// answer; it may also call that itself.
type Fault func(w http.ResponseWriter, r *http.Request, serve http.Handler) bool

// Server serves the bare repository acme/gitops.
type Server struct {
	Dir string // of the bare repository
	URL string // of the repository

	http *httptest.Server

	mu     sync.Mutex
	counts map[string]int
	bytes  int64
	fault  Fault
}

// New makes the bare repository acme/gitops.git below root, where it may be
// already, and serves it. settings are added to its git configuration; without
// any they are GitHubSettings.
func New(root string, settings ...string) (*Server, error) {
	libexec, err := Git("", "", "--exec-path")
	if err != nil {
		return nil, fmt.Errorf("the git command is needed to serve repositories: %w", err)
	}
	s := &Server{Dir: filepath.Join(root, "acme", "gitops.git"), counts: map[string]int{}}
	if _, err := os.Stat(s.Dir); errors.Is(err, os.ErrNotExist) {
		if err := s.init(settings); err != nil {
			return nil, err
		}
	}
	backend := &cgi.Handler{
		Path: filepath.Join(libexec, "git-http-backend"), Dir: root, Stderr: io.Discard,
		Env: append(Env(), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=app"),
	}
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, backend) }))
	s.URL = s.http.URL + "/acme/gitops.git"
	return s, nil
}

func (s *Server) init(settings []string) error {
	if _, err := Git("", "", "init", "-q", "--bare", "--template=", "-b", "main", s.Dir); err != nil {
		return err
	}
	if len(settings) == 0 {
		settings = GitHubSettings
	}
	return s.Configure(append([]string{"http.receivepack=true", "receive.fsckObjects=true", "gc.auto=0"}, settings...)...)
}

// Configure adds settings such as "uploadpack.allowFilter=true" to the
// repository's configuration.
func (s *Server) Configure(settings ...string) error {
	var text strings.Builder
	for _, setting := range settings {
		section, line, _ := strings.Cut(setting, ".")
		fmt.Fprintf(&text, "[%s]\n\t%s\n", section, line)
	}
	f, err := os.OpenFile(filepath.Join(s.Dir, "config"), os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text.String())
	return errors.Join(err, f.Close())
}

// Close ends the server when its requests have ended.
func (s *Server) Close() { s.http.Close() }

func (s *Server) serve(w http.ResponseWriter, r *http.Request, backend http.Handler) {
	if user, pass, _ := r.BasicAuth(); user != "x-access-token" || pass != Token {
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Bad credentials for "+pass, http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	i := strings.Index(r.URL.Path, ".git/")
	s.counts[r.Method+" "+r.URL.Path[i+len(".git/"):]]++
	fault := s.fault
	s.mu.Unlock()
	counted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { backend.ServeHTTP(&counting{w, s}, r) })
	if fault == nil || !fault(w, r, counted) {
		counted.ServeHTTP(w, r)
	}
}
