package helm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/loader/archive"

	"github.com/stagecoach-app/stagecoach/gitops/egress"
	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// world serves https://example.com, whatever the address says.
func world(t *testing.T, handler http.HandlerFunc) *step.Remote {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	client := server.Client()
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	return &step.Remote{Client: client, Login: func(address string) step.Login {
		if strings.HasPrefix(address, "example.com/charts/") || strings.HasPrefix(address, "example.com/broken/") || address == "example.com/acme/db" {
			return step.Login{User: "octocat", Password: "sesame"}
		}
		return step.Login{}
	}}
}

func packed(t *testing.T, version string) []byte {
	t.Helper()
	raw, err := pack("db", []*archive.BufferedFile{{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: db\nversion: " + version + "\n")}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// updated runs helm-update-chart on a chart with one dependency.
func updated(t *testing.T, remote *step.Remote, repository, version string) (*steptest.Workspace, error) {
	t.Helper()
	ws := steptest.New(map[string]string{"web/Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: web\nversion: 0.1.0\ndependencies:\n- {name: db, version: %q, repository: %q}\n", version, repository)})
	_, err := step.Run(t.Context(), ws, step.Task{Uses: "helm-update-chart", Config: json.RawMessage(`{"path": "web"}`), Remote: remote})
	if err != nil && len(ws.Writes) > 0 {
		t.Errorf("it failed after it wrote %q", ws.Writes)
	}
	return ws, err
}

func TestRepository(t *testing.T) {
	sums := map[string]string{"1.1.0": fmt.Sprintf("%x", sha256.Sum256(packed(t, "1.1.0"))), "3.0.0": strings.Repeat("0", 64)}
	remote := world(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user+password != "octocatsesame" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch version, isChart := strings.CutPrefix(r.URL.Path, "/charts/files/db-"); {
		case isChart:
			_, _ = w.Write(packed(t, strings.TrimSuffix(version, ".tgz")))
		case r.URL.Path == "/charts/index.yaml":
			_, _ = fmt.Fprintln(w, "entries:\n  db:")
			for _, version := range []string{"1.0.0", "1.1.0", "1.2.0-rc.1", "junk", "3.0.0"} {
				_, _ = fmt.Fprintf(w, "  - {version: %s, urls: [files/db-%s.tgz], digest: %q}\n", version, version, sums[version])
			}
		default:
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	ws, err := updated(t, remote, "https://example.com/charts", "1.x")
	if got := ws.Files["web/charts/db-1.1.0.tgz"].Content; err != nil || got != string(packed(t, "1.1.0")) || !strings.Contains(ws.Files["web/Chart.lock"].Content, "version: 1.1.0") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for want, tt := range map[string]struct {
		repository, version string
		passing             bool
	}{
		"is not the archive that the repository's index names": {"https://example.com/charts", "3.0.0", false},
		"none of its 5 versions is 4.x":                        {"https://example.com/charts", "4.x", false},
		"is neither a version nor a range":                     {"https://example.com/charts", "new", false},
		"502 Bad Gateway":                                      {"https://example.com/broken", "1.x", true},
	} {
		if _, err := updated(t, remote, tt.repository, tt.version); err == nil || !strings.Contains(err.Error(), want) || promotion.IsTerminal(err) == tt.passing {
			t.Errorf("got %v\nwant %s (may pass: %v)", err, want, tt.passing)
		}
	}
	remote.Login = nil
	if _, err := updated(t, remote, "https://example.com/charts", "1.x"); err == nil || !strings.Contains(err.Error(), "a login is needed") {
		t.Errorf("without a login: %v", err)
	}
}

func TestRegistry(t *testing.T) {
	blob := packed(t, "1.1.0")
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(blob))
	given := blob
	tokens := 0
	remote := world(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case r.URL.Path == "/token" && user+password == "octocatsesame" && r.URL.Query().Get("scope") == "repository:acme/db:pull":
			tokens++
			_, _ = fmt.Fprint(w, `{"token": "t"}`)
		case r.Header.Get("Authorization") != "Bearer t":
			w.Header().Set("WWW-Authenticate", `Bearer realm="https://example.com/token",service="example.com",scope="repository:acme/db:pull"`)
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v2/acme/db/tags/list":
			_, _ = fmt.Fprint(w, `{"tags": ["1.0.0", "1.1.0", "1.1.0_build.2", "latest", "2.0.0"]}`)
		case r.URL.Path == "/v2/acme/db/manifests/1.1.0", r.URL.Path == "/v2/acme/db/manifests/1.1.0_build.2":
			_, _ = fmt.Fprintf(w, `{"layers": [{"mediaType": "application/vnd.cncf.helm.chart.provenance.v1.prov", "digest": "x"}, {"mediaType": %q, "digest": %q}]}`, chartType, digest)
		case r.URL.Path == "/v2/acme/db/blobs/"+digest:
			_, _ = w.Write(given)
		default:
			http.NotFound(w, r)
		}
	})
	for _, version := range []string{"~1.1.0", "1.1.0"} {
		tokens = 0
		ws, err := updated(t, remote, "oci://example.com/acme", version)
		if got := ws.Files["web/charts/db-1.1.0.tgz"].Content; err != nil || got != string(blob) || tokens != 1 {
			t.Errorf("%s: %d bytes after %d tokens, %v", version, len(got), tokens, err)
		}
	}
	if _, err := updated(t, remote, "oci://example.com/acme", "2.0.0"); err == nil || !strings.Contains(err.Error(), "404 Not Found") || !promotion.IsTerminal(err) {
		t.Errorf("a version that is not there: %v", err)
	}
	given = []byte("other")
	if _, err := updated(t, remote, "oci://example.com/acme", "1.1.0"); err == nil || !strings.Contains(err.Error(), "other content than was asked for") {
		t.Errorf("another blob: %v", err)
	}
}

// A pipeline's author cannot have the server ask its neighbours.
func TestPrivateAddresses(t *testing.T) {
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(server.Close)
	remote := &step.Remote{Client: new(egress.Policy).Client()}
	for _, repository := range []string{server.URL, "oci://" + strings.TrimPrefix(server.URL, "http://") + "/acme"} {
		_, err := updated(t, remote, repository, "1.x")
		if refused := new(egress.Refused); !errors.As(err, &refused) || !promotion.IsTerminal(err) || asked {
			t.Errorf("%s: %v", repository, err)
		}
	}
}

// Dependencies that are fetched to render are not written.
func TestBuildDependencies(t *testing.T) {
	remote := world(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/index.yaml" {
			_, _ = fmt.Fprint(w, "entries:\n  db:\n  - {version: 1.0.0, urls: [db-1.0.0.tgz]}\n  - {version: 1.1.0, urls: [db-1.1.0.tgz]}\n")
			return
		}
		version := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/db-"), ".tgz")
		raw, _ := pack("db", []*archive.BufferedFile{
			{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: db\nversion: " + version + "\n")},
			{Name: "templates/a.yaml", Data: []byte("kind: K\nversion: {{ .Chart.Version }}\n")},
		})
		_, _ = w.Write(raw)
	})
	ws := steptest.New(map[string]string{
		"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\ndependencies:\n- {name: db, version: 1.x, repository: 'https://example.com'}\n",
		"web/Chart.lock": "dependencies:\n- {name: db, version: 1.0.0, repository: 'https://example.com'}\n",
	})
	config := json.RawMessage(`{"path": "web", "releaseName": "r", "outPath": "out.yaml", "buildDependencies": true}`)
	if _, err := step.Run(t.Context(), ws, step.Task{Uses: "helm-template", Config: config, Remote: remote}); err != nil {
		t.Fatal(err)
	}
	if got := ws.Files["out.yaml"].Content; !strings.Contains(got, "version: 1.0.0") || len(ws.Writes) != 1 {
		t.Errorf("it wrote %q:\n%s", ws.Writes, got)
	}
}

// A loop that neither ends nor gives anything is stopped by its time.
func TestTime(t *testing.T) {
	ws := steptest.New(map[string]string{"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n", "web/templates/a.yaml": "{{ range 1000000000000 }}{{ end }}"})
	ctx, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	m, release, err := takeMeter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.ctx = ctx
	if err := m.check(); err == nil || !strings.Contains(err.Error(), "it took too long") {
		t.Errorf("past its deadline: %v", err)
	}
	for _, name := range []string{"upper", "cat", "replace", "indent", "toYaml", "quote", "printf", "list", "splitList"} { // a template may call them without a loop
		f := reflect.ValueOf(m.functions[name])
		args := map[string][]any{"indent": {1, "a"}, "replace": {"a", "b", "c"}, "printf": {"a"}, "list": {}, "cat": {}, "splitList": {",", "a"}}[name]
		if args == nil {
			args = []any{"a"}
		}
		var values []reflect.Value
		for _, arg := range args {
			values = append(values, reflect.ValueOf(arg))
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s goes on past the deadline", name)
				}
			}()
			f.Call(values)
		}()
	}
	release()
	config := json.RawMessage(`{"path": "web", "releaseName": "r", "outPath": "out.yaml"}`)
	slow, stop := context.WithTimeout(t.Context(), 200e6)
	defer stop()
	if _, err := step.Run(slow, ws, step.Task{Uses: "helm-template", Config: config}); err == nil || !strings.Contains(err.Error(), "it took too long") {
		t.Errorf("a loop without end: %v", err)
	}
}

// A login goes to its address alone, and never where others could read it.
func TestLogins(t *testing.T) {
	asked := ""
	remote := &step.Remote{Login: func(address string) step.Login {
		asked = address
		switch {
		case strings.HasPrefix(address, "tokens.example.com/"):
			return step.Login{Token: "t"}
		case strings.HasSuffix(address, "/private/index.yaml"), address == "example.com/acme/db":
			return step.Login{User: "octocat", Password: "sesame"}
		}
		return step.Login{}
	}}
	for _, tt := range []struct {
		r             request
		asked, header string
	}{
		{request{url: "https://example.com/private/index.yaml?a=b"}, "example.com/private/index.yaml", "Basic b2N0b2NhdDpzZXNhbWU="},
		{request{url: "http://127.0.0.1:5000/private/index.yaml"}, "127.0.0.1:5000/private/index.yaml", "Basic b2N0b2NhdDpzZXNhbWU="},
		{request{url: "http://example.com/private/index.yaml"}, "", ""},
		{request{url: "https://example.com/public/index.yaml"}, "example.com/public/index.yaml", ""},
		{request{url: "https://tokens.example.com/a"}, "tokens.example.com/a", "Bearer t"},
		{request{url: "https://auth.example.net/token", login: "example.com/acme/db"}, "example.com/acme/db", "Basic b2N0b2NhdDpzZXNhbWU="},
		{request{url: "https://example.com/private/index.yaml", bearer: "own"}, "", "Bearer own"},
	} {
		asked = ""
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.r.url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		authorize(req, remote, tt.r)
		if got := req.Header.Get("Authorization"); got != tt.header || asked != tt.asked {
			t.Errorf("%s: %q, after %q was looked up", tt.r.url, got, asked)
		}
	}
}
