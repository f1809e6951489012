package registry_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry"
)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestANewImageCostsThreeRequestsAndNoNewOneNone(t *testing.T) {
	s, c := serve(t), client(t, "")
	s.push("acme/web", "1.0.0", image(nil, day, amd64))
	s.push("acme/web", "latest", image(nil, day, amd64))
	src := promotion.ImageSource{Repo: s.host + "/acme/web"}
	first := ask(t, c, registry.Query{Owner: "acme"}, src)
	if first.Artifact == nil || first.Artifact.Tag != "1.0.0" || len(s.asked()) > 3 {
		t.Fatalf("found %+v", first.Artifact)
	}
	ask(t, c, registry.Query{Owner: "acme", Known: first.Artifact}, src)
	for _, line := range s.asked() {
		if !strings.HasPrefix(line, "GET 304") {
			t.Errorf("what did not change was sent again: %s", line)
		}
	}
	labels := map[string]string{"org.opencontainers.image.revision": "4f2a9c1d00", "org.opencontainers.image.source": "https://github.com/acme/app", "org.opencontainers.image.version": "1.1.0"}
	digest := s.push("acme/web", "1.1.0", image(labels, day, amd64))
	found := ask(t, c, registry.Query{Owner: "acme", Known: first.Artifact}, src)
	want := promotion.Artifact{Source: "web", Kind: "image", Repo: s.host + "/acme/web", Tag: "1.1.0", Digest: digest, At: day, Title: "version 1.1.0 from https://github.com/acme/app at 4f2a9c1d00",
		From: "https://github.com/acme/app", Revision: "4f2a9c1d00"}
	if found.Artifact == nil || *found.Artifact != want {
		t.Errorf("found %+v, want %+v", found.Artifact, want)
	}
	if asked := s.asked(); len(asked) > 3 {
		t.Errorf("a new image cost %d requests: %q", len(asked), asked)
	}
}

func TestPlatforms(t *testing.T) {
	s, c := serve(t), client(t, "")
	arm := v1.Platform{OS: "linux", Architecture: "arm64"}
	s.push("acme/web", "2.0.0", image(nil, day, arm))
	both := mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: image(nil, day, amd64), Descriptor: v1.Descriptor{Platform: &amd64}},
		mutate.IndexAddendum{Add: image(nil, day, arm), Descriptor: v1.Descriptor{Platform: &arm}})
	digest := s.push("acme/web", "1.0.0", both)
	for platform, want := range map[string]string{"linux/amd64": "1.0.0", "linux/arm64": "2.0.0", "": "2.0.0", "linux/s390x": ""} {
		src := promotion.ImageSource{Repo: s.host + "/acme/web", Platform: platform}
		a := ask(t, c, registry.Query{Owner: "acme"}, src).Artifact
		if a == nil && want != "" || a != nil && a.Tag != want {
			t.Errorf("%q: %+v, want %q", platform, a, want)
		}
		if a != nil && a.Tag == "1.0.0" && a.Digest != digest {
			t.Errorf("the digest is %s, want that of the index, %s", a.Digest, digest)
		}
	}
}

func TestTheWaysToChoose(t *testing.T) {
	s, c := serve(t), client(t, "")
	for i, tag := range []string{"b-3", "b-1", "b-2"} { // the last one is the youngest
		s.push("acme/web", tag, image(nil, day.AddDate(0, 0, i), amd64))
	}
	stable := s.push("acme/web", "stable", image(map[string]string{"of": "stable"}, day, amd64))
	for want, rule := range map[string]promotion.TagRule{
		"b-2":    {Select: promotion.SelectNewest, AllowTags: `^b-`},
		"b-3":    {Select: promotion.SelectLexical, AllowTags: `^b-`},
		"stable": {Select: promotion.SelectDigest, Constraint: "stable"},
	} {
		src := promotion.ImageSource{Repo: s.host + "/acme/web", TagRule: rule}
		found := ask(t, c, registry.Query{Owner: "acme"}, src)
		if found.Artifact == nil || found.Artifact.Tag != want || found.Floats != (want == "stable") {
			t.Errorf("%s: %+v", want, found)
		}
		s.asked()
		ask(t, c, registry.Query{Owner: "acme", Known: found.Artifact}, src)
		if asked := s.asked(); len(asked) > 2 {
			t.Errorf("%s again cost %d requests: %q", want, len(asked), asked)
		}
	}
	now := s.push("acme/web", "stable", image(map[string]string{"of": "now"}, day, amd64))
	a := ask(t, c, registry.Query{Owner: "acme"}, promotion.ImageSource{Repo: s.host + "/acme/web", TagRule: promotion.TagRule{Select: promotion.SelectDigest, Constraint: "stable"}}).Artifact
	if a == nil || a.Digest != now || now == stable {
		t.Errorf("after it moved stable is %+v, want %s", a, now)
	}
}

func TestOlderVersionsAreLookedUp(t *testing.T) {
	s, c := serve(t), client(t, "")
	digest := s.push("acme/web", "1.0.0", image(nil, day, amd64))
	s.push("acme/web", "debug", image(nil, day, amd64))
	src := promotion.ImageSource{Repo: s.host + "/acme/web", TagRule: promotion.TagRule{Constraint: "^2", IgnoreTags: "debug"}}
	for version, there := range map[string]bool{"1.0.0": true, "1.0.0@" + digest: true, "1.0.1": false, "debug": false, "no/tag at all": false} {
		a := ask(t, c, registry.Query{Owner: "acme", Version: version}, src).Artifact
		if (a != nil) != there || there && (a.Digest != digest || a.Tag != "1.0.0") {
			t.Errorf("%s: %+v", version, a)
		}
	}
	_, err := c.Image(context.Background(), registry.Query{Version: "1.0.0@sha256:" + strings.Repeat("0", 64)}, src)
	if !promotion.IsTerminal(err) {
		t.Errorf("another digest than that of the tag: %v", err)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	s, c := serve(t), client(t, "")
	s.push("acme/web", "1.0.0", image(nil, day, amd64))
	src := promotion.ImageSource{Repo: s.host + "/acme/web"}
	known := ask(t, c, registry.Query{Owner: "acme"}, src).Artifact
	s.push("acme/web", "0.9.0", image(nil, day, amd64))
	s.remove("acme/web", "1.0.0")
	found := ask(t, c, registry.Query{Owner: "acme", Known: known}, src)
	if !strings.Contains(found.Gone, "1.0.0 is not in") || found.Artifact == nil || found.Artifact.Tag != "0.9.0" {
		t.Errorf("after its tag was deleted: %+v", found)
	}
	_, err := c.Image(context.Background(), registry.Query{}, promotion.ImageSource{Repo: s.host + "/acme/none"})
	if !promotion.IsTerminal(err) {
		t.Errorf("an image that is not there: %v", err)
	}
}

func TestALieAboutADigestIsSaid(t *testing.T) {
	s, c := serve(t), client(t, "")
	s.push("acme/web", "1.0.0", image(nil, day, amd64))
	s.lie = "sha256:" + strings.Repeat("a", 64)
	_, err := c.Image(context.Background(), registry.Query{}, promotion.ImageSource{Repo: s.host + "/acme/web"})
	if !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "but what it sends is") {
		t.Errorf("%v", err)
	}
}

func login(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

func TestCredentialsAreThoseOfTheOwnerAlone(t *testing.T) {
	s := serve(t)
	s.push("acme/web", "1.0.0", image(nil, day, amd64))
	s.push("globex/web", "1.0.0", image(nil, day, amd64))
	s.users = map[string]string{"a:1": "acme/", "g:2": "globex/"}
	c := client(t, fmt.Sprintf(`{"owners":{"Acme":{"auths":{"%s/acme":{"auth":%q}}},"globex":{"auths":{"http://%s/globex/":{"username":"g","password":"2"}}}}}`,
		s.host, login("a", "1"), s.host))
	cases := []struct {
		owner, repo string
		reads       bool
	}{
		{"acme", "acme/web", true}, {"ACME", "acme/web", true}, {"globex", "globex/web", true},
		{"globex", "acme/web", false}, {"acme", "globex/web", false}, {"monalisa", "acme/web", false}, {"", "acme/web", false},
	}
	for range 2 { // also when others have read before
		for _, one := range cases {
			_, err := c.Image(context.Background(), registry.Query{Owner: one.owner}, promotion.ImageSource{Repo: s.host + "/" + one.repo})
			if (err == nil) != one.reads || err != nil && !promotion.IsTerminal(err) {
				t.Errorf("%s reads %s: %v", one.owner, one.repo, err)
			}
		}
	}
	delete(s.users, "a:1")
	_, err := c.Image(context.Background(), registry.Query{Owner: "acme"}, promotion.ImageSource{Repo: s.host + "/acme/web"})
	if !promotion.IsTerminal(err) || strings.Contains(err.Error(), login("a", "1")) {
		t.Errorf("with revoked credentials: %v", err)
	}
}

func TestLimitsAreWaitedFor(t *testing.T) {
	cases := map[string]struct {
		header http.Header
		want   time.Duration
	}{
		"seconds":          {http.Header{"Retry-After": {"42"}}, 42 * time.Second},
		"nothing said":     {http.Header{}, time.Minute},
		"Docker Hub":       {http.Header{"Ratelimit-Remaining": {"0;w=21600"}}, 90 * time.Minute},
		"longer than ours": {http.Header{"Retry-After": {"999999"}}, 6 * time.Hour},
	}
	for name, one := range cases {
		s, c := serve(t), client(t, "")
		s.push("acme/web", "1.0.0", image(nil, day, amd64))
		var refused atomic.Int32
		s.limit = func(string) http.Header { refused.Add(1); return one.header }
		for range 2 {
			_, err := c.Image(context.Background(), registry.Query{Owner: "acme"}, promotion.ImageSource{Repo: s.host + "/acme/web"})
			wait, ok := promotion.WaitOf(err)
			if !ok || wait > one.want || wait < one.want-10*time.Second {
				t.Errorf("%s: waits %s (%v), want %s", name, wait, err, one.want)
			}
		}
		if n := refused.Load(); n != 1 {
			t.Errorf("%s: it was asked %d times although it had said no", name, n)
		}
	}
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	s := serve(t)
	s.push("acme/web", "1.0.0", image(nil, day, amd64))
	c := registry.New(registry.Options{})
	_, err := c.Image(context.Background(), registry.Query{}, promotion.ImageSource{Repo: s.host + "/acme/web"})
	if !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "STAGECOACH_ALLOW_HOSTS") || len(s.asked()) > 0 {
		t.Errorf("%v", err)
	}
	_, err = c.Chart(context.Background(), registry.Query{}, promotion.ChartSource{Repo: s.URL, Name: "web"})
	if !promotion.IsTerminal(err) || len(s.asked()) > 0 {
		t.Errorf("a chart: %v", err)
	}
}

func TestWrongCredentials(t *testing.T) {
	for _, text := range []string{
		`{`, `[]`, `{"auths":{}}`, `{"owners":{"acme":{"auths":{"ghcr.io":{"auth":"no base64"}}}}}`,
		`{"owners":{"acme":{"auths":{"ghcr.io":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("nocolon")) + `"}}}}}`,
		`{"owners":{"acme":{"auths":{"ghcr.io":{"identitytoken":"sesame"}}}}}`,
	} {
		if _, err := registry.ReadCredentials(text); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What an image says of itself goes no further where it is too long to be meant, or no text.
func TestWhatAnImageSaysIsBounded(t *testing.T) {
	s, c := serve(t), client(t, "")
	long := strings.Repeat("a", 201)
	s.push("acme/web", "1.0.0", image(map[string]string{"org.opencontainers.image.revision": long, "org.opencontainers.image.source": "https://github.com/" + long}, day, amd64))
	a := ask(t, c, registry.Query{Owner: "acme"}, promotion.ImageSource{Repo: s.host + "/acme/web"}).Artifact
	if a == nil || a.From != "" || a.Revision != "" || len(a.Title) > 200 {
		t.Errorf("%+v", a)
	}
}
