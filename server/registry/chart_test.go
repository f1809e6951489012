package registry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry"
)

const index = `
apiVersion: v1
entries:
  web:
    - {version: 2.1.0, appVersion: "7.0", digest: abc, created: 2026-03-01T12:00:00Z}
    - {version: 2.10.0+build.5, digest: def}
    - {version: 3.0.0-rc.1}
  other:
    - {version: 9.9.9}
`

// charts is a chart repository over HTTP, which may ask for a password.
func charts(t *testing.T, password string) (url string, sent *atomic.Int32) {
	sent = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, given, _ := r.BasicAuth()
		switch {
		case given != password:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path != "/charts/index.yaml":
			w.WriteHeader(http.StatusNotFound)
		case r.Header.Get("If-None-Match") == `"1"`:
			w.WriteHeader(http.StatusNotModified)
		default:
			sent.Add(1)
			w.Header().Set("ETag", `"1"`)
			_, _ = w.Write([]byte(index))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/charts", sent
}

func TestChartsOverHTTP(t *testing.T) {
	url, sent := charts(t, "")
	c := client(t, "")
	for constraint, want := range map[string]string{"": "2.10.0+build.5", "~2.1": "2.1.0", ">=3.0.0-0": "3.0.0-rc.1", "^4": ""} {
		found, err := c.Chart(context.Background(), registry.Query{Owner: "acme", Source: "chart"}, promotion.ChartSource{Repo: url + "/", Name: "web", Constraint: constraint})
		if err != nil {
			t.Fatal(err)
		}
		a := found.Artifact
		if a == nil && want != "" || a != nil && (a.Tag != want || a.Repo != url+"/web" || a.Kind != "chart" || a.Source != "chart") {
			t.Errorf("%q: %+v, want %s", constraint, a, want)
		}
		if want == "2.1.0" && (a.Title != "app version 7.0" || a.Digest != "abc" || !a.At.Equal(day)) {
			t.Errorf("%q: %+v", constraint, a)
		}
	}
	if sent.Load() != 1 {
		t.Errorf("the index was sent %d times, want once", sent.Load())
	}
	known := &promotion.Artifact{Tag: "2.0.0"}
	found, err := c.Chart(context.Background(), registry.Query{Known: known}, promotion.ChartSource{Repo: url, Name: "web"})
	if err != nil || found.Gone == "" {
		t.Errorf("after the version was removed: %+v, %v", found, err)
	}
	for version, there := range map[string]bool{"2.1.0": true, "2.1.1": false} {
		found, err := c.Chart(context.Background(), registry.Query{Version: version}, promotion.ChartSource{Repo: url, Name: "web"})
		if err != nil || (found.Artifact != nil) != there {
			t.Errorf("%s: %+v, %v", version, found, err)
		}
	}
	for _, src := range []promotion.ChartSource{{Repo: url, Name: "none"}, {Repo: url + "/none", Name: "web"}, {Repo: "https://%", Name: "web"}} {
		if _, err := c.Chart(context.Background(), registry.Query{}, src); !promotion.IsTerminal(err) {
			t.Errorf("%+v: %v", src, err)
		}
	}
}

func TestAChartRepositoryWithAPassword(t *testing.T) {
	url, _ := charts(t, "1")
	c := client(t, `{"owners":{"acme":{"auths":{"`+url+`":{"username":"a","password":"1"}}}}}`)
	for owner, reads := range map[string]bool{"acme": true, "globex": false} {
		_, err := c.Chart(context.Background(), registry.Query{Owner: owner}, promotion.ChartSource{Repo: url, Name: "web"})
		if (err == nil) != reads {
			t.Errorf("%s: %v", owner, err)
		}
	}
}

func TestChartsInARegistry(t *testing.T) {
	s, c := serve(t), client(t, "")
	s.push("acme/charts/web", "2.0.0", image(nil, day, amd64))
	digest := s.push("acme/charts/web", "2.1.0_build.7", image(nil, day, amd64))
	src := promotion.ChartSource{Repo: "oci://" + s.host + "/acme/charts/web", Constraint: "2.x"}
	found, err := c.Chart(context.Background(), registry.Query{Owner: "acme", Source: "chart"}, src)
	if err != nil {
		t.Fatal(err)
	}
	want := promotion.Artifact{Source: "chart", Kind: "chart", Repo: src.Repo, Tag: "2.1.0+build.7", Digest: digest}
	if found.Artifact == nil || *found.Artifact != want {
		t.Errorf("found %+v, want %+v", found.Artifact, want)
	}
	found, err = c.Chart(context.Background(), registry.Query{Version: "2.0.0"}, src)
	if err != nil || found.Artifact == nil || found.Artifact.Tag != "2.0.0" {
		t.Errorf("an older version: %+v, %v", found.Artifact, err)
	}
}
