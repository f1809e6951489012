package server_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// visitor is a browser without a face, which follows no redirect by itself.
func visitor(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	wire := &http.Transport{}
	t.Cleanup(wire.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: wire, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func fetch(t *testing.T, c *http.Client, method, address string, header ...string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequest(method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

// signedIn lets octocat sign in, and gives the browser.
func signedIn(t *testing.T, w *servertest.World, at string) *http.Client {
	t.Helper()
	c := visitor(t)
	_, _, header := fetch(t, c, http.MethodGet, at+"/login")
	asked, err := url.Parse(header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	back, err := w.Sim.Authorize(asked.Query(), "octocat")
	if err != nil {
		t.Fatal(err)
	}
	if status, body, _ := fetch(t, c, http.MethodGet, back); status != http.StatusSeeOther {
		t.Fatalf("sign-in: %d %s", status, body)
	}
	return c
}

// Without a session there is the webhook, health, and what this machine may ask.
func TestOnlyTheOpenPathsAreOpen(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	at := w.Dashboard()
	w.StartServer()
	c := visitor(t)
	afar := []string{"X-Forwarded-For", "192.0.2.7"}
	for _, tt := range []struct {
		method, path string
		header       []string
		want         int
	}{
		{"GET", "/", nil, 401}, {"GET", "/r/acme/gitops", nil, 401}, {"GET", "/r/acme/gitops/live", nil, 401}, {"POST", "/", nil, 401}, {"GET", "/x", nil, 401},
		{"GET", "/healthz", afar, 200}, {"GET", "/readyz", afar, 200}, {"GET", "/metrics", nil, 200}, {"GET", "/metrics", afar, 403}, {"GET", "/events", afar, 403},
		{"POST", "/events/x/replay", afar, 403}, {"POST", "/api/github/hook", afar, 400}, {"GET", "/api/github/hook", afar, 401},
	} {
		if status, body, _ := fetch(t, c, tt.method, at+tt.path, tt.header...); status != tt.want {
			t.Errorf("%s %s %v: %d, want %d: %.200s", tt.method, tt.path, tt.header, status, tt.want, body)
		}
	}
}

// Without its settings the dashboard is off, and says what to set.
func TestTheDashboardIsOff(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	c := visitor(t)
	status, body, _ := fetch(t, c, http.MethodGet, "http://"+w.Addr+"/")
	for _, name := range []string{"STAGECOACH_PUBLIC_URL", "GITHUB_OAUTH_CLIENT_ID", "GITHUB_OAUTH_CLIENT_SECRET"} {
		if status != http.StatusOK || !strings.Contains(body, name) {
			t.Errorf("%d, and no word of %s", status, name)
		}
	}
	for _, path := range []string{"/login", "/api/github/auth", "/r/acme/gitops"} {
		if status, _, _ := fetch(t, c, http.MethodGet, "http://"+w.Addr+path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// A server stops while browsers look on, and the next one takes their sessions up.
func TestSessionsOutliveTheServer(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	at := w.Dashboard()
	w.StartServer()
	w.InstallApp()
	octocat := signedIn(t, w, at)
	w.Until("the pipeline is shown", func() bool {
		_, body, _ := fetch(t, octocat, http.MethodGet, at+"/r/acme/gitops")
		return strings.Contains(body, "staging")
	})
	stream, err := octocat.Get(at + "/r/acme/gitops/live")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	w.StopServer() // fails the test if it does not come to an end
	if rest, err := io.ReadAll(stream.Body); err != nil || !strings.Contains(string(rest), "event: at") {
		t.Errorf("the stream was cut: %q, %v", rest, err)
	}
	w.StartServer()
	if status, body, _ := fetch(t, octocat, http.MethodGet, at+"/r/acme/gitops"); status != http.StatusOK {
		t.Errorf("after a restart: %d %.300s", status, body)
	}
}
