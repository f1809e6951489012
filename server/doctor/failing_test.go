package doctor_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/doctor"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// complaint is the one about a check, as "status: message → remedy"; empty: it is well, or was not made.
func complaint(r doctor.Report, name string) string {
	for _, c := range r.Checks {
		if c.Name == name && c.Status != doctor.OK {
			return string(c.Status) + ": " + c.Message + " → " + c.Remedy
		}
	}
	return ""
}

// TestWhatGitHubAnswers has GitHub refuse or not answer what each check asks, and sees that the check says so, and what to do.
func TestWhatGitHubAnswers(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	w.InstallApp()
	delivery := func(code int) string {
		return fmt.Sprintf(`[{"id":1,"event":"push","status_code":%d,"delivered_at":"2026-11-30T12:00:00Z"},{"id":2,"event":"push","status_code":200}]`, code)
	}
	for _, c := range []struct {
		route  string
		status int
		body   string // empty: the simulator's own
		check  string
		want   []string
	}{
		{"GET /app", 500, "", "app", []string{"problem: GitHub answers: ", "→ Run doctor again when GitHub answers."}},
		{"GET /app", 404, "", "app", []string{"problem: GitHub does not take the private key", "→ Compare GITHUB_APP_INTEGRATION_ID"}},
		{"GET /app", 200, `{"id": 77, "slug": "other"}`, "app", []string{"problem: the private key is that of App 77", "→ Set both from the same App"}},
		{"GET /app/installations", 502, "", "installations", []string{"problem: they cannot be listed", "→ Run doctor again"}},
		{"GET /app/installations", 200, `[]`, "installations", []string{"warning: the App is not installed anywhere", "→ Install it: "}},
		{"GET /app/hook/config", 404, "", "webhook", []string{"problem: the App has no webhook", "→ Switch it on", "/api/github/hook"}},
		{"GET /app/hook/config", 500, "", "webhook", []string{"problem: its settings cannot be read", "→ Run doctor again"}},
		{"GET /app/hook/config", 200, `{"url": "http://` + w.Addr + `/api/github/hook", "secret": "********", "insecure_ssl": "1"}`, "webhook", []string{"warning: GitHub does not check the server's certificate", "→ Switch SSL verification on"}},
		{"GET /app/hook/deliveries", 500, "", "deliveries", []string{"problem: they cannot be listed", "→ Run doctor again"}},
		{"GET /app/hook/deliveries", 200, delivery(400), "deliveries", []string{"of the last 2, 1 did not get through", "(push, 30 Nov 12:00 UTC) failed: the server did not take its signature", "STAGECOACH_OLD_WEBHOOK_SECRETS"}},
		{"GET /app/hook/deliveries", 200, delivery(404), "deliveries", []string{"nobody takes webhooks at that address", "/api/github/hook"}},
		{"GET /app/hook/deliveries", 200, delivery(401), "deliveries", []string{"something before the server refused it", "without sign-in"}},
		{"GET /app/hook/deliveries", 200, delivery(503), "deliveries", []string{"the server could not store it", "disk"}},
		{"GET /app/hook/deliveries", 200, delivery(0), "deliveries", []string{"GitHub could not reach the server", "→ Start the server"}},
		{"GET /app/hook/deliveries", 200, delivery(418), "deliveries", []string{"the answer was 418", "under Advanced"}},
	} {
		w.Sim.Fault(ghsim.Fault{Route: c.route, Status: c.status, Body: c.body})
		got := complaint(examine(t, w, nil), c.check)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s is answered with %d %s: the check %s says %q, want %q", c.route, c.status, c.body, c.check, got, want)
			}
		}
	}
}

// TestTheMachine: a server that may not store, one that answers in its place, a NATS that is not there, and disks.
func TestTheMachine(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	sick := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) }))
	defer sick.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Sim.SetWebhook(w.App.ID, sick.URL+"/api/github/hook", "a secret"))
	free := func(bytes uint64, known bool) func(*doctor.Options) {
		return func(o *doctor.Options) { o.FreeSpace = func(string) (uint64, bool) { return bytes, known } }
	}
	for _, c := range []struct {
		name, check, want string
		change            func(*doctor.Options)
	}{
		{"it answers 503", "server", "problem: http://" + sick.Listener.Addr().String() + "/readyz answers 503 Service Unavailable → Look at the server's log", func(o *doctor.Options) { o.Settings.Addr = sick.Listener.Addr().String() }},
		{"the webhook leads to it", "webhook", "warning: " + sick.URL + "/readyz answers 503 Service Unavailable → Does the address lead to this server", nil},
		{"no NATS", "engine", "problem: ", func(o *doctor.Options) { o.Settings.NATSURL = "nats://127.0.0.1:1" }},
		{"room is scarce", "disk", "warning: 0.5 GiB are free → Make room soon.", free(512<<20, true)},
		{"no room", "disk", "problem: 0.0 GiB are free → Make room: ", free(1<<20, true)},
		{"nobody knows", "disk", "skipped: this system does not tell", free(0, false)},
	} {
		if got := complaint(examine(t, w, c.change), c.check); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: the check %s says %q, want %q", c.name, c.check, got, c.want)
		}
	}
}
