package server_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// shop is a registry of images and a repository of charts on loopback, both behind
// one password.
type shop struct {
	t    *testing.T
	host string

	mu       sync.Mutex
	password string
	versions []string // of the chart web in /charts/index.yaml
	sent     map[string]int
}

func serveShop(t *testing.T) *shop {
	s := &shop{t: t, password: "sesame", sent: map[string]int{}}
	images := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !s.admits(r):
			w.Header().Set("WWW-Authenticate", `Basic realm="shop"`)
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/charts/index.yaml":
			s.index(w, r)
		default:
			images.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	s.host = strings.TrimPrefix(server.URL, "http://")
	return s
}

func (s *shop) admits(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, password, _ := r.BasicAuth()
	return password == s.password
}

func (s *shop) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *shop) times(how string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[how]
}

func (s *shop) index(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	etag := fmt.Sprintf("%q", strings.Join(s.versions, " "))
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		s.sent["unchanged"]++
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.sent["whole"]++
	fmt.Fprintln(w, "apiVersion: v1\nentries:\n  web:")
	for _, v := range s.versions {
		fmt.Fprintf(w, "  - {version: %s, appVersion: app-%s, digest: d%s}\n", v, v, v)
	}
}

// push puts an artifact into the registry.
func (s *shop) push(repo, tag string) {
	s.t.Helper()
	img, err := random.Image(100, 1)
	if err != nil {
		s.t.Fatal(err)
	}
	ref, err := name.NewTag(s.host + "/" + repo + ":" + tag)
	if err == nil {
		err = remote.Write(ref, img, remote.WithAuth(&authn.Basic{Username: "ci", Password: s.password}))
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// Charts of both kinds of repositories, behind a password that the operator gave for the
// owner, are freight with the image that they go with.
func TestChartsAreFreight(t *testing.T) {
	t.Parallel()
	s := serveShop(t)
	s.versions = []string{"0.9.0", "1.0.0", "2.0.0-rc.1"}
	s.push("acme/charts/web", "2.0.0")
	w := servertest.New(t, map[string]string{
		".github/stagecoach.yml": "version: 1\nsources:\n" +
			"  - {name: http, chart: {repo: 'http://" + s.host + "/charts', name: web}}\n" +
			"  - {name: oci, chart: {repo: 'oci://" + s.host + "/acme/charts/web', constraint: 2.x}}\n" +
			"stages:\n  - name: dev\n    promote: auto\n    deliver: commit\n    steps:\n" +
			"      - {uses: yaml-update, config: {path: dev.yaml, updates: [{key: version, value: '${{ freight.http.version + \" \" + freight.oci.version }}'}]}}\n",
		"dev.yaml": "version: none\n",
	})
	w.Vars = map[string]string{
		"STAGECOACH_ALLOW_HOSTS":   "127.0.0.1",
		"STAGECOACH_REGISTRY_AUTH": `{"owners":{"acme":{"auths":{"` + s.host + `":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("ci:sesame")) + `"}}}}}`,
	}
	w.InstallApp()
	w.StartServer()
	holds(t, w, "the newest of each", "", "1.0.0 2.0.0")
	look := func() {
		t.Helper()
		if err := w.Sim.As("octocat").Dispatch(w.Repo, "stagecoach", nil); err != nil {
			t.Fatal(err)
		}
	}
	before := w.File("dev.yaml")
	look()
	w.Until("it was looked at again", func() bool { return s.times("unchanged") > 0 })
	holds(t, w, "a look without news", before, "")
	if n := s.times("whole"); n != 1 {
		t.Errorf("the index was sent %d times as a whole, want once", n)
	}
	s.push("acme/charts/web", "2.1.0")
	look()
	holds(t, w, "a chart in the registry", "", "1.0.0 2.1.0")
	s.set(func() { s.versions = append(s.versions, "1.1.0") })
	look()
	holds(t, w, "a chart in the repository", "", "1.1.0 2.1.0")

	s.set(func() { s.password = "changed" })
	look()
	w.Until("refused credentials are said", func() bool {
		issue, _ := w.TrackingIssue()
		return strings.Contains(issue.Body, "could not be read") && strings.Contains(issue.Body, "401")
	})
	s.set(func() { s.versions = append(s.versions, "1.2.0") })
	before = w.File("dev.yaml")
	look()
	holds(t, w, "what cannot be seen", before, "")
	s.set(func() { s.password = "sesame" })
	look()
	holds(t, w, "what can be seen again", "", "1.2.0 2.1.0")
	w.Until("nothing is said any more", func() bool {
		issue, _ := w.TrackingIssue()
		return !strings.Contains(issue.Body, "could not be read")
	})
	s.set(func() { s.versions = []string{"1.0.0", "1.1.0"} })
	look()
	w.Until("the freight of a version that is gone is blocked", func() bool {
		l, err := w.Ledger()
		return err == nil && len(l.Pipelines["default"].Blocked) == 1
	})
}
