package runner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/egress"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// elsewhere is a host that is not GitHub, with a git repository acme/gitops.git that
// anybody may read, and some files.
type elsewhere struct {
	*httptest.Server
	git    *gitopstest.Server
	asked  []string
	secret string // what was shown to log in
	host   string // host:port
}

func newElsewhere(t *testing.T) *elsewhere {
	t.Helper()
	git, err := gitopstest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(git.Close)
	at, err := url.Parse(git.URL)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: at.Host})
	e := &elsewhere{git: git}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.asked = append(e.asked, r.Method+" "+r.URL.Path)
		e.secret += r.Header.Get("Authorization")
		switch r.URL.Path {
		case "/files/a.yaml":
			fmt.Fprint(w, "a: 1\n")
		case "/files/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		case "/files/inside":
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		case "/files/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/files/limited":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/moved/gitops.git/info/refs":
			http.Redirect(w, r, "http://10.0.0.1/acme/gitops.git/info/refs?service=git-upload-pack", http.StatusFound)
		case "/private/gitops.git/info/refs":
			w.WriteHeader(http.StatusUnauthorized)
		case "/forbidden/gitops.git/info/refs":
			w.WriteHeader(http.StatusForbidden)
		case "/slow/gitops.git/info/refs":
			w.Header().Set("Retry-After", "1000000")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			if !strings.HasPrefix(r.URL.Path, "/acme/gitops.git/") {
				http.NotFound(w, r)
				return
			}
			r.SetBasicAuth("x-access-token", gitopstest.Token)
			pass.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(e.Close)
	e.host = strings.TrimPrefix(e.URL, "http://")
	return e
}

// commit makes a commit with one file on a branch, and returns it.
func (e *elsewhere) commit(t *testing.T, branch, file, content string) string {
	t.Helper()
	script := fmt.Sprintf("commit refs/heads/%s\ncommitter o <o@example.com> 1700000000 +0000\ndata 1\nx\nM 100644 inline %s\ndata %d\n%s\n", branch, file, len(content), content)
	if _, err := e.git.Git(script, "fast-import", "--quiet", "--force"); err != nil {
		t.Fatal(err)
	}
	sha, err := e.git.Git("", "rev-parse", "refs/heads/"+branch)
	if err != nil {
		t.Fatal(err)
	}
	return sha
}

// reach are the bases of a repository, with an engine and a guard of their own.
func reach(t *testing.T, allowed []string, hosts ...string) bases {
	t.Helper()
	policy, err := egress.New(hosts)
	if err != nil {
		t.Fatal(err)
	}
	client := policy.Client()
	git, err := gitops.New(filepath.Join(t.TempDir(), "bases"), gitops.Options{Transport: egress.Bounded(client.Transport, 1<<20), Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = git.Close(); client.CloseIdleConnections() })
	r := New(Options{WebURL: "https://github.com", Client: client, Bases: Bases{Allowed: allowed, Git: git}})
	return bases{r, promotion.Repo{ID: 1, Owner: "acme", Name: "gitops"}}
}

func TestAllowedBases(t *testing.T) {
	b := bases{New(Options{Bases: Bases{Allowed: []string{"github.com/acme", "raw.example.com", "http://git.internal:8080/ops/base"}}}), promotion.Repo{}}
	for raw, want := range map[string]bool{
		"https://github.com/acme/base": true, "https://github.com/acme/base.git": true, "https://github.com/acme": true, "https://GitHub.com/acme/base": true,
		"https://github.com/acme-evil/base": false, "https://github.com/other/base": false, "http://github.com/acme/base": false, "https://github.com:8443/acme/base": false,
		"https://github.com.evil.example/acme/base": false, "https://github.com/acme/../other/base": false, "https://github.com/acme/%2e%2e/other/base": false,
		"https://github.com/acme%2Fbase": false, "https://github.com//acme/base": false,
		"https://raw.example.com/any/file.yaml?x=y": true, "http://raw.example.com/any": false,
		"http://git.internal:8080/ops/base": true, "http://git.internal:8080/ops/base/": true, "http://git.internal:8080/ops/base2": false, "https://git.internal:8080/ops/base": false, "http://git.internal/ops/base": false,
	} {
		if err := b.Allowed(raw); (err == nil) != want || err != nil && !promotion.IsTerminal(err) {
			t.Errorf("%s: %v, want allowed %v", raw, err, want)
		}
	}
	off := bases{New(Options{}), promotion.Repo{}}
	if err := off.Allowed("https://github.com/acme/base"); err == nil || !strings.Contains(err.Error(), "STAGECOACH_REMOTE_BASES") {
		t.Errorf("off: %v", err)
	}
}

// A base is read at the commit that its ref names, by nobody in particular.
func TestOpenBase(t *testing.T) {
	e := newElsewhere(t)
	old := e.commit(t, "main", "a/kustomization.yaml", "old")
	if _, err := e.git.Git("", "tag", "-a", "-m", "x", "v1", old); err != nil {
		t.Fatal(err)
	}
	tip := e.commit(t, "main", "a/kustomization.yaml", "new")
	if _, err := e.git.Git("", "branch", "v1", tip); err != nil {
		t.Fatal(err)
	}
	b := reach(t, []string{"http://" + e.host}, "127.0.0.1")
	at := e.URL + "/acme/gitops.git"
	for ref, want := range map[string][2]string{
		"": {tip, "new"}, "main": {tip, "new"}, "v1": {old, "old"}, "refs/heads/v1": {tip, "new"}, "heads/v1": {tip, "new"}, "refs/tags/v1": {old, "old"}, old: {old, "old"},
	} {
		ws, commit, err := b.Open(t.Context(), at, ref)
		if err != nil || commit != want[0] {
			t.Errorf("%q is %s (%v), want %s", ref, commit, err, want[0])
			continue
		}
		if content, err := ws.ReadFile(t.Context(), "a/kustomization.yaml"); err != nil || string(content) != want[1] {
			t.Errorf("%q holds %q (%v), want %q", ref, content, err, want[1])
		}
	}
	if e.secret != "" {
		t.Errorf("somebody logged in as %q", e.secret)
	}
	if content, err := b.File(t.Context(), e.URL+"/files/a.yaml", 5); err != nil || string(content) != "a: 1\n" {
		t.Errorf("a file: %q, %v", content, err)
	}
}

func TestBasesThatCannotBeRead(t *testing.T) {
	e := newElsewhere(t)
	e.commit(t, "main", "a.bin", strings.Repeat(incompressible(), 40))
	e.commit(t, "small", "a", "x")
	b := reach(t, []string{"http://" + e.host}, "127.0.0.1")
	guarded := reach(t, []string{"http://" + e.host})
	open := func(b bases, path, ref string) error {
		ws, _, err := b.Open(t.Context(), e.URL+path, ref)
		if err == nil {
			_, err = ws.ReadFile(t.Context(), "a.bin")
		}
		return err
	}
	file := func(b bases, path string, most int64) error {
		_, err := b.File(t.Context(), e.URL+path, most)
		return err
	}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"no branch":              {open(b, "/acme/gitops.git", "none"), "there is no branch or tag none"},
		"no commit":              {open(b, "/acme/gitops.git", strings.Repeat("1", 40)), "it is not there, or not for everybody to read"},
		"no repository":          {open(b, "/other/gitops.git", ""), "it is not there, or not for everybody to read"},
		"private":                {open(b, "/private/gitops.git", ""), "it is not there, or not for everybody to read"},
		"forbidden":              {open(b, "/forbidden/gitops.git", ""), "it is not there, or not for everybody to read"},
		"too large":              {open(b, "/acme/gitops.git", "main"), "it has more than 1048576 bytes"},
		"a private address":      {open(guarded, "/acme/gitops.git", "small"), "STAGECOACH_ALLOW_HOSTS"},
		"no file":                {file(b, "/files/none", 9), "the server answered 404"},
		"a page":                 {file(b, "/files/page", 9), "it is a page for people"},
		"a large file":           {file(b, "/files/a.yaml", 4), "it has more than 4 bytes"},
		"a redirect inside":      {file(b, "/files/inside", 9), "10.0.0.1, which is not public"},
		"a private address file": {file(guarded, "/files/a.yaml", 9), "STAGECOACH_ALLOW_HOSTS"},
	} {
		if tt.err == nil || !promotion.IsTerminal(tt.err) || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant a Terminal error that says %s", name, tt.err, tt.want)
		}
		if missing := new(promotion.MissingPermission); errors.As(tt.err, &missing) {
			t.Errorf("%s: a permission is waited for: %v", name, tt.err)
		}
	}
	for name, err := range map[string]error{"a server that is busy": file(b, "/files/busy", 9), "a repository that moved elsewhere": open(b, "/moved/gitops.git", "")} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, passing := range []string{"/files/busy", "/files/limited"} {
		if err := file(b, passing, 9); err == nil || promotion.IsTerminal(err) {
			t.Errorf("%s: %v is for good", passing, err)
		}
	}
	if wait, ok := promotion.WaitOf(open(b, "/slow/gitops.git", "")); !ok || wait != longestWait {
		t.Errorf("a server has us wait %s (%v)", wait, ok)
	}
	for _, asked := range e.asked {
		if strings.Contains(asked, "10.0.0.1") {
			t.Error(asked)
		}
	}
}

// incompressible is text that no pack makes small.
func incompressible() string {
	var out strings.Builder
	x := uint32(1)
	for range 64 << 10 {
		x = x*1664525 + 1013904223
		out.WriteByte(byte(x >> 24))
	}
	return out.String()
}

func TestForeignRepositoriesHaveTheirOwnClones(t *testing.T) {
	if a, b := foreignID("https://example.com/acme/base"), foreignID("https://example.com/acme/base2"); a == b || a < 0 || b < 0 {
		t.Errorf("%d, %d", a, b)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := reach(t, []string{"github.com"})
	if _, _, err := b.Open(ctx, "https://example.com/acme/base", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
