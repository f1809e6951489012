package server_test

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// images is a registry on loopback that counts how often the tags of each image are
// asked for.
type images struct {
	t     *testing.T
	host  string
	lists map[string]*atomic.Int32 // image → listings
}

func newImages(t *testing.T, repos ...string) *images {
	r := &images{t: t, lists: map[string]*atomic.Int32{}}
	for _, repo := range repos {
		r.lists[repo] = &atomic.Int32{}
	}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if repo, ok := strings.CutSuffix(strings.TrimPrefix(req.URL.Path, "/v2/"), "/tags/list"); ok && r.lists[repo] != nil {
			r.lists[repo].Add(1)
		}
		inner.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	r.host = strings.TrimPrefix(s.URL, "http://")
	return r
}

func (r *images) push(repo, tag string) {
	r.t.Helper()
	img, err := random.Image(100, 1)
	if err != nil {
		r.t.Fatal(err)
	}
	ref, err := name.NewTag(r.host + "/" + repo + ":" + tag)
	if err == nil {
		err = remote.Write(ref, img)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// quiet waits until no look at an image is put off any more, which a look is by two
// seconds whose source is being looked at already.
func (r *images) quiet(w *servertest.World) {
	r.t.Helper()
	last, since := int32(-1), time.Now()
	w.Until("no image is looked at any more", func() bool {
		sum := int32(0)
		for _, n := range r.lists {
			sum += n.Load()
		}
		if sum != last {
			last, since = sum, time.Now()
		}
		return time.Since(since) > 3*time.Second
	})
	w.Settle()
}

// published is what GitHub says of an image that was pushed, in the parts of its
// payload that are read or that other readers trip over: body may be text or an object.
func (r *images) published(repo, tag string) map[string]any {
	owner, name, _ := strings.Cut(repo, "/")
	return map[string]any{"registry_package": map[string]any{
		"id": 9056324, "name": name, "namespace": owner, "description": "", "ecosystem": "CONTAINER", "package_type": "CONTAINER",
		"owner": map[string]any{"login": owner, "id": 5, "type": "Organization"},
		"package_version": map[string]any{
			"id": 1, "version": "sha256:" + strings.Repeat("0a", 32), "name": "sha256:" + strings.Repeat("0a", 32), "body": map[string]any{"repository": map[string]any{}},
			"container_metadata": map[string]any{"tag": map[string]any{"name": tag}, "labels": map[string]any{"all_labels": map[string]any{}}},
			"package_url":        r.host + "/" + repo + ":" + tag, "package_files": []any{},
		},
		"registry": map[string]any{"name": "GitHub CONTAINER registry", "type": "CONTAINER", "vendor": "GitHub Inc"},
	}}
}

// GitHub tells of an image that was pushed: the sources that follow it are looked at, in
// whatever repository, and no others, whether the package is linked to the pipeline's
// repository, to another one or to none.
func TestAPackageWakesWhoFollowsIt(t *testing.T) {
	t.Parallel()
	reg := newImages(t, "acme/web", "acme/api")
	reg.push("acme/web", "1.0.0")
	reg.push("acme/api", "1.0.0")
	files := following("image: {repo: '"+reg.host+"/acme/web'}", "freight.app.tag")
	files[".github/stagecoach/api.yml"] = strings.ReplaceAll(following("image: {repo: '"+reg.host+"/acme/api'}", "freight.app.tag")[".github/stagecoach.yml"], "dev", "api")
	files["api.yaml"] = "version: none\n"
	w := servertest.New(t, files)
	w.Vars = map[string]string{"STAGECOACH_ALLOW_HOSTS": "127.0.0.1"}
	app := second(t, w, "app", map[string]string{"a": "b\n"})
	w.InstallApp(w.Repo, app)
	w.StartServer()
	holdsBoth := func(web, api string) func() bool {
		return func() bool {
			return strings.Contains(w.File("dev.yaml"), web) && strings.Contains(w.File("api.yaml"), api)
		}
	}
	w.Until("both are promoted at first sight", holdsBoth("1.0.0", "1.0.0"))
	w.Settle()
	reg.quiet(w)
	unlinked := func(body map[string]any) {
		body["action"], body["installation"] = "published", map[string]any{"id": w.Install}
		body["sender"] = map[string]any{"login": "octocat", "id": 7, "type": "User"}
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		if status, answer := w.Post(servertest.Secret, "registry_package", raw); status/100 != 2 {
			t.Errorf("answered %d: %s", status, answer)
		}
	}
	linkedTo := func(repo ghsim.Repo) func(map[string]any) {
		return func(body map[string]any) { w.Sim.SendEvent(repo, "octocat", "registry_package", "published", body) }
	}
	for _, c := range []struct {
		link, tag string
		send      func(map[string]any)
	}{
		{"the pipeline's repository", "1.1.0", linkedTo(w.Repo)},
		{"another repository", "1.2.0", linkedTo(app)},
		{"none", "1.3.0", unlinked},
	} {
		before := reg.lists["acme/api"].Load()
		reg.push("acme/web", c.tag)
		c.send(reg.published("acme/web", c.tag))
		w.Until("the image of a package that is linked to "+c.link+" is promoted", holdsBoth(c.tag, "1.0.0"))
		w.Settle()
		if n := reg.lists["acme/api"].Load() - before; n != 0 {
			t.Errorf("linked to %s: another image was looked at %d times", c.link, n)
		}
	}
	reg.quiet(w)
	before := reg.lists["acme/web"].Load()
	for _, kind := range []string{"npm", "maven"} { // no image, though it has the same name
		body := reg.published("acme/web", "1.4.0")
		body["registry_package"].(map[string]any)["package_type"] = kind
		linkedTo(w.Repo)(body)
		unlinked(body)
	}
	linkedTo(w.Repo)(reg.published("acme/webshop", "1.0.0"))
	w.Settle()
	if n := reg.lists["acme/web"].Load() - before; n != 0 {
		t.Errorf("packages of other kinds and names: it was looked at %d times", n)
	}
}
