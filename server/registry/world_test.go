package registry_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	gcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/stagecoach-app/stagecoach/gitops/egress"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry"
)

// server is go-containerregistry's own registry over HTTP, with what it lacks:
// tokens by the Docker scheme, ETags, limits and lies.
type server struct {
	*httptest.Server
	t    *testing.T
	host string

	mu    sync.Mutex
	seen  []string          // "GET 200 /v2/…", without the ping and tokens
	users map[string]string // user:password → the prefix of repositories that it may read; empty: open to all
	limit func(path string) http.Header
	lie   string // said of every manifest's digest; empty: the truth
}

func serve(t *testing.T) *server {
	s := &server{t: t, users: map[string]string{}}
	inner := gcr.New(gcr.Logger(log.New(io.Discard, "", 0)))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handle(inner, w, r) }))
	t.Cleanup(s.Close)
	s.host = strings.TrimPrefix(s.URL, "http://")
	return s
}

func (s *server) handle(inner http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/token" {
		s.token(w, r)
		return
	}
	if r.Header.Get("X-Setup") == "" { // of the test itself
		if !s.admit(w, r) {
			return
		}
		if s.limit != nil {
			if h := s.limit(r.URL.Path); h != nil {
				for k := range h {
					w.Header().Set(k, h.Get(k))
				}
				s.note(r, http.StatusTooManyRequests)
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
		}
	}
	rec := httptest.NewRecorder()
	inner.ServeHTTP(rec, r)
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	body := rec.Body.Bytes()
	etag := fmt.Sprintf(`"%x"`, len(body)) + rec.Header().Get("Docker-Content-Digest")
	status := rec.Code
	if strings.HasSuffix(r.URL.Path, "/tags/list") {
		etag = fmt.Sprintf("%q", base64.StdEncoding.EncodeToString(body))
	}
	if s.lie != "" && strings.Contains(r.URL.Path, "/manifests/") {
		w.Header().Set("Docker-Content-Digest", s.lie)
	}
	if r.Method == http.MethodGet && status == http.StatusOK {
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			status, body = http.StatusNotModified, nil
		}
	}
	s.note(r, status)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// admit asks for a token that the token server gave, as registries do.
func (s *server) admit(w http.ResponseWriter, r *http.Request) bool {
	if len(s.users) == 0 {
		return true
	}
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	prefix, known := s.users[bearer]
	if known && (r.URL.Path == "/v2/" || strings.HasPrefix(r.URL.Path, "/v2/"+prefix)) {
		return true
	}
	s.note(r, http.StatusUnauthorized)
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="test"`, s.URL))
	w.WriteHeader(http.StatusUnauthorized)
	return false
}

func (s *server) token(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	if _, ok := s.users[user+":"+password]; !ok {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	fmt.Fprintf(w, `{"token":"%s:%s"}`, user, password)
}

func (s *server) note(r *http.Request, status int) {
	if r.Header.Get("X-Setup") != "" || r.URL.Path == "/v2/" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, fmt.Sprintf("%s %d %s", r.Method, status, r.URL.Path))
}

// asked gives what was asked for since the last time.
func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

// setup marks the test's own requests.
type setup struct{}

func (setup) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Setup", "yes")
	return http.DefaultTransport.RoundTrip(r)
}

func image(labels map[string]string, created time.Time, platform v1.Platform) v1.Image {
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: platform.OS, Architecture: platform.Architecture, Created: v1.Time{Time: created}, Config: v1.Config{Labels: labels},
	})
	if err != nil {
		panic(err)
	}
	return img
}

var amd64 = v1.Platform{OS: "linux", Architecture: "amd64"}

// push puts an image there, and gives its digest.
func (s *server) push(repo, tag string, what remote.Taggable) string {
	s.t.Helper()
	ref, err := name.NewTag(s.host + "/" + repo + ":" + tag)
	if err != nil {
		s.t.Fatal(err)
	}
	switch each := what.(type) {
	case v1.Image:
		err = remote.Write(ref, each, remote.WithTransport(setup{}))
	case v1.ImageIndex:
		err = remote.WriteIndex(ref, each, remote.WithTransport(setup{}))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	digest, err := what.(interface{ Digest() (v1.Hash, error) }).Digest()
	if err != nil {
		s.t.Fatal(err)
	}
	return digest.String()
}

func (s *server) remove(repo, tag string) {
	s.t.Helper()
	ref, _ := name.NewTag(s.host + "/" + repo + ":" + tag)
	if err := remote.Delete(ref, remote.WithTransport(setup{})); err != nil {
		s.t.Fatal(err)
	}
}

// client may reach loopback, and has the credentials.
func client(t *testing.T, credentials string) *registry.Client {
	t.Helper()
	policy, err := egress.New([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := registry.ReadCredentials(credentials)
	if err != nil {
		t.Fatal(err)
	}
	return registry.New(registry.Options{Policy: policy, Credentials: c, UserAgent: "stagecoach/test"})
}

func ask(t *testing.T, c *registry.Client, q registry.Query, src promotion.ImageSource) registry.Found {
	t.Helper()
	q.Source = "web"
	found, err := c.Image(context.Background(), q, src)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
