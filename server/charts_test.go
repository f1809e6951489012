//go:build !small

package server_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"

	_ "github.com/stagecoach-app/stagecoach/gitops/step/helm" // the steps that are tested
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// packed is the archive of a chart that says its name.
func packed(t *testing.T, chart string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	tarred := tar.NewWriter(zipped)
	for _, f := range [][2]string{
		{"Chart.yaml", "apiVersion: v2\nname: " + chart + "\nversion: 1.0.0\n"}, {"templates/a.yaml", "kind: ConfigMap\nmetadata: {name: {{ .Chart.Name }}}\n"},
	} {
		noErr(t, tarred.WriteHeader(&tar.Header{Name: chart + "/" + f[0], Mode: 0o644, Size: int64(len(f[1]))}))
		_, err := tarred.Write([]byte(f[1]))
		noErr(t, err)
	}
	noErr(t, tarred.Close())
	noErr(t, zipped.Close())
	return out.Bytes()
}

func noErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// charts is a registry that hands out tokens, and a repository of charts over HTTP
// that asks for a password. Both note whom they let in, and whom not.
type charts struct {
	*httptest.Server
	inner http.Handler
	repo  []byte // the archive of the chart cache

	mu    sync.Mutex
	setUp bool
	seen  map[string]int // "registry octocat" → requests; without a name: nobody's
}

func serveCharts(t *testing.T) *charts {
	t.Helper()
	c := &charts{inner: registry.New(registry.Logger(log.New(io.Discard, "", 0))), repo: packed(t, "cache"), setUp: true, seen: map[string]int{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	layer := static.NewLayer(packed(t, "db"), "application/vnd.cncf.helm.chart.content.v1.tar+gzip")
	image, err := mutate.AppendLayers(mutate.ConfigMediaType(empty.Image, "application/vnd.cncf.helm.config.v1+json"), layer)
	noErr(t, err)
	tag, err := name.NewTag(c.host() + "/acme/db:1.0.0")
	noErr(t, err)
	noErr(t, remote.Write(tag, mutate.MediaType(image, "application/vnd.oci.image.manifest.v1+json")))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setUp = false
	return c
}

func (c *charts) host() string { return strings.TrimPrefix(c.URL, "http://") }

func (c *charts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	user, password, _ := r.BasicAuth()
	known := password == "secret of "+user && user != ""
	where := map[bool]string{true: "registry", false: "repository"}[strings.HasPrefix(r.URL.Path, "/v2/") || r.URL.Path == "/token"]
	if !c.setUp && user != "" {
		c.seen[where+" "+user]++
	}
	switch {
	case c.setUp, r.Header.Get("Authorization") == "Bearer for acme" && where == "registry":
		c.inner.ServeHTTP(w, r)
	case r.URL.Path == "/token" && known && user == "octocat":
		fmt.Fprint(w, `{"token": "for acme"}`)
	case where == "registry":
		c.seen["registry refused"]++
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+c.URL+`/token",service="test"`)
		w.WriteHeader(http.StatusUnauthorized)
	case !known || user != "hubot":
		c.seen["repository refused"]++
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path == "/charts/index.yaml":
		fmt.Fprint(w, "entries:\n  cache:\n  - {version: 1.0.0, urls: [cache-1.0.0.tgz]}\n")
	default:
		_, _ = w.Write(c.repo)
	}
}

// count is how often somebody was seen.
func (c *charts) count(who string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[who]
}

// rendering is a repository whose dev renders a chart with a dependency.
func rendering(dependency string) map[string]string {
	return map[string]string{
		".github/stagecoach.yml": "version: 1\nsources: [{name: app, git: {}}]\nstages:\n  - name: dev\n    promote: auto\n    deliver: commit\n    steps:\n" +
			"      - {uses: helm-template, config: {path: chart, outPath: out.yaml, releaseName: web, buildDependencies: true}}\n",
		"chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\ndependencies:\n" + dependency,
		"out.yaml":         "none\n",
	}
}

// The credentials of an owner reach charts in a registry and in a repository over
// HTTP, each by its path. Another owner's pipelines do not get them.
func TestChartsThatNeedALogin(t *testing.T) {
	t.Parallel()
	c := serveCharts(t)
	db, cache := "- {name: db, version: 1.x, repository: 'oci://"+c.host()+"/acme'}\n", "- {name: cache, version: 1.x, repository: '"+c.URL+"/charts'}\n"
	w := servertest.New(t, rendering(db+cache))
	w.Vars = map[string]string{"STAGECOACH_ALLOW_HOSTS": "127.0.0.1", "STAGECOACH_REGISTRY_AUTH": strings.NewReplacer("HOST", c.host()).Replace(
		`{"owners": {"Acme": {"auths": {"HOST/acme": {"username": "octocat", "password": "secret of octocat"}, "HOST/charts": {"username": "hubot", "password": "secret of hubot"}}}}}`)}
	w.InstallApp(w.Repo)
	w.Sim.AddOrg("umbrella")
	strangers := map[string]ghsim.Repo{}
	for kind, dependency := range map[string]string{"registry": db, "repository": cache} {
		repo, err := w.Sim.CreateRepo("umbrella", kind, ghsim.RepoOptions{Private: true, Files: rendering(dependency)})
		noErr(t, err)
		strangers[kind] = repo
	}
	_, err := w.Sim.Install(w.App.ID, "umbrella", strangers["registry"], strangers["repository"])
	noErr(t, err)
	w.StartServer()
	w.Until("the chart is rendered with both dependencies", func() bool {
		out := w.File("out.yaml")
		return strings.Contains(out, "name: db") && strings.Contains(out, "name: cache")
	})
	for kind, repo := range strangers {
		w.Until("umbrella is refused by the "+kind, func() bool {
			for _, issue := range w.Sim.Issues(repo) {
				if strings.Contains(issue.Body, "401 Unauthorized; it may not exist, or a login is needed") {
					return true
				}
			}
			return false
		})
		if out, err := w.Sim.File(repo, "main", "out.yaml"); out != "none\n" || err != nil {
			t.Errorf("umbrella got the chart of acme from the %s", kind)
		}
	}
	// Each login is seen in its own place alone.
	for who, seen := range map[string]bool{"registry octocat": true, "repository hubot": true, "registry hubot": false, "repository octocat": false, "registry refused": true, "repository refused": true} {
		if (c.count(who) > 0) != seen {
			t.Errorf("%s: %d", who, c.count(who))
		}
	}
}
