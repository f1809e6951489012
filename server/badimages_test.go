package server_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// badRegistry is a registry on loopback that can lie about digests and refuse everybody.
type badRegistry struct {
	images
	lies, refuses atomic.Bool
}

func newBadRegistry(t *testing.T) *badRegistry {
	r := &badRegistry{images: images{t: t}}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		ours := strings.HasPrefix(req.UserAgent(), "stagecoach/")
		if ours && r.refuses.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		rec := httptest.NewRecorder()
		inner.ServeHTTP(rec, req)
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		if ours && r.lies.Load() && strings.Contains(req.URL.Path, "/manifests/") {
			w.Header().Set("Docker-Content-Digest", "sha256:"+strings.Repeat("a", 64))
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}))
	t.Cleanup(s.Close)
	r.host = strings.TrimPrefix(s.URL, "http://")
	return r
}

// digest is what a tag is now.
func (r *badRegistry) digest(tag string) string {
	r.t.Helper()
	ref, err := name.NewTag(r.host + "/acme/web:" + tag)
	if err != nil {
		r.t.Fatal(err)
	}
	d, err := remote.Head(ref)
	if err != nil {
		r.t.Fatal(err)
	}
	return d.Digest.String()
}

func (r *badRegistry) remove(tag string) {
	r.t.Helper()
	ref, err := name.NewTag(r.host + "/acme/web:" + tag)
	if err == nil {
		err = remote.Delete(ref)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// What a registry should not do is said in the tracking issue, and nothing is promoted
// that was not seen; when it does right again, that goes on.
func TestWhatARegistryShouldNotDo(t *testing.T) {
	t.Parallel()
	r := newBadRegistry(t)
	files := following("image: {repo: '"+r.host+"/acme/web', constraint: ^1.0.0}", "freight.app.tag }}@${{ freight.app.digest")
	files[".github/stagecoach.yml"] += "  - {name: prod, deliver: commit, after: [dev]}\n"
	w := servertest.New(t, files)
	w.Vars = map[string]string{"STAGECOACH_ALLOW_HOSTS": "127.0.0.1"}
	w.InstallApp(w.Repo)
	w.StartServer()
	for _, step := range []struct {
		what     string
		do       func()
		says     string        // in the tracking issue
		promotes func() string // what dev.yaml holds then; nil: what it held before
	}{
		{"an image that is not there", func() {}, "NAME_UNKNOWN", nil},
		{"one that is", func() { r.push("acme/web", "1.0.0") }, "", func() string { return "1.0.0@" + r.digest("1.0.0") }},
		{"a lie about a digest", func() { r.lies.Store(true); r.push("acme/web", "1.1.0") }, "but what it sends is", nil},
		{"no lie any more", func() { r.lies.Store(false) }, "", func() string { return "1.1.0@" + r.digest("1.1.0") }},
		{"credentials that were taken back", func() { r.refuses.Store(true); r.push("acme/web", "1.2.0") }, "refuse", nil},
		{"credentials that count again", func() { r.refuses.Store(false) }, "", func() string { return "1.2.0@" + r.digest("1.2.0") }},
		{"a tag that is another image now", func() { r.push("acme/web", "1.2.0") }, "moved", func() string { return "1.2.0@" + r.digest("1.2.0") }},
		{"a tag that was deleted", func() { r.remove("1.2.0") }, "1.2.0 is not in", nil},
	} {
		before := w.File("dev.yaml")
		step.do()
		if err := w.Sim.As("octocat").Dispatch(w.Repo, "stagecoach", map[string]any{"source": "app"}); err != nil {
			t.Fatal(err)
		}
		w.Until(step.what+" is said", func() bool {
			issue, _ := w.TrackingIssue()
			return strings.Contains(strings.ReplaceAll(issue.Body, "\\", ""), step.says)
		})
		if step.promotes != nil {
			want := step.promotes()
			w.Until(step.what+" is promoted", func() bool { return strings.Contains(w.File("dev.yaml"), want) })
		}
		w.Settle()
		if now := w.File("dev.yaml"); step.promotes == nil && now != before {
			t.Errorf("%s: %s", step.what, now)
		}
	}
	s, err := w.Ledger()
	if err != nil || len(s.Pipelines["default"].Blocked) != 1 {
		t.Fatalf("blocked: %v, %v", s.Pipelines["default"].Blocked, err)
	}
	issue, _ := w.TrackingIssue()
	for id := range s.Pipelines["default"].Blocked {
		if _, err := w.Sim.As("octocat").Comment(w.Repo, issue.Number, "/promote prod "+id[:10]); err != nil {
			t.Fatal(err)
		}
	}
	w.Until("what is gone is refused", func() bool {
		return strings.Contains(strings.Join(w.Answers(issue.Number), "\n"), "it is gone")
	})
	w.Settle()
	if s, err = w.Ledger(); err != nil || len(s.Pipelines["default"].Promotions) != 4 {
		t.Errorf("%d promotions, want the four of dev; %v", len(s.Pipelines["default"].Promotions), err)
	}
}
