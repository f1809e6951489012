package doctor_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/server/doctor"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// roomy is a disk with enough on it.
func roomy(string) (uint64, bool) { return 100 << 30, true }

func examine(t *testing.T, w *servertest.World, change func(*doctor.Options)) doctor.Report {
	t.Helper()
	env := w.Env()
	set, err := config.Load("", func(k string) string { return env[k] }, nil)
	if err != nil {
		t.Fatal(err)
	}
	wire := &http.Transport{}
	defer wire.CloseIdleConnections()
	opts := doctor.Options{Settings: set, Transport: wire, FreeSpace: roomy}
	if change != nil {
		change(&opts)
	}
	return doctor.Run(t.Context(), opts)
}

// worst are the checks that are not ok, as "status name: message → remedy".
func worst(r doctor.Report) []string {
	var out []string
	for _, c := range r.Checks {
		if c.Status != doctor.OK {
			out = append(out, string(c.Status)+" "+c.Name+": "+c.Message+" → "+c.Remedy)
		}
	}
	return out
}

// said fails unless exactly the wanted complaints were made, of which each is given
// by its beginning.
func said(t *testing.T, r doctor.Report, want ...string) {
	t.Helper()
	got := worst(r)
	ok := len(got) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, c := range r.Checks {
		if !slices.Contains(doctor.Names, c.Name) {
			t.Errorf("no check may be called %s", c.Name)
		}
		if c.Status != doctor.OK && c.Status != doctor.Skipped && c.Remedy == "" {
			t.Errorf("%s does not say what to do", c.Name)
		}
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(raw) + r.Text(); strings.Contains(text, servertest.Secret) || strings.Contains(text, "PRIVATE KEY---") {
		t.Error("the report shows a secret")
	}
}

// TestWell looks at a running server with nothing wrong, and sees that nothing is
// asked of GitHub but reads.
func TestWell(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.Until("a delivery got through", func() bool {
		all := w.Sim.Deliveries()
		return len(all) > 0 && all[0].OK()
	})
	mark := len(w.Sim.Requests())
	r := examine(t, w, nil)
	said(t, r)
	made := []string{"installations", "engine"} // made when none is there, and while no server runs
	for _, c := range r.Checks {
		made = append(made, c.Name)
	}
	for _, name := range doctor.Names {
		if !slices.Contains(made, name) {
			t.Errorf("the check %s was not made", name)
		}
	}
	if !r.OK {
		t.Errorf("%+v", r)
	}
	for _, q := range w.Sim.Requests()[mark:] {
		if q.Method != http.MethodGet && q.Login == "" {
			t.Errorf("it sent %s %s", q.Method, q.Path)
		}
	}
	if left, err := os.ReadDir(w.DataDir); err != nil || len(left) == 0 || strings.HasPrefix(left[0].Name(), ".stagecoach-doctor") {
		t.Errorf("the data directory holds %v (%v)", left, err)
	}
}

// TestStopped looks at what can be wrong while no server runs.
func TestStopped(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	stopped := []string{"warning webhook: seen from here nobody answers", "warning server: it does not run"}
	said(t, examine(t, w, nil), append([]string{"warning installations: the App is not installed"}, stopped...)...)
	w.InstallApp()
	w.Until("the delivery failed", func() bool { return len(w.Sim.Deliveries()) == 1 })
	failed := "problem deliveries: of the last 1, 1 did not get through. The newest (installation, "
	said(t, examine(t, w, nil), stopped[0], failed, stopped[1])

	few := ghapi.Permissions()
	few["issues"] = "read"
	delete(few, "deployments")
	if err := w.Sim.SetInstallationPermissions(w.Install, few); err != nil {
		t.Fatal(err)
	}
	lacks := "problem installation: it lacks issues: write, deployments: write (without it stages"
	w.Until("that failed too", func() bool { return len(w.Sim.Deliveries()) == 2 })
	said(t, examine(t, w, func(o *doctor.Options) { o.FreeSpace = func(string) (uint64, bool) { return 1 << 20, true } }),
		lacks, stopped[0], "problem deliveries: of the last 2, 2", stopped[1], "problem disk: 0.0 GiB are free")
	if err := w.Sim.Suspend(w.Install); err != nil {
		t.Fatal(err)
	}
	w.Until("and that", func() bool { return len(w.Sim.Deliveries()) == 3 })
	said(t, examine(t, w, func(o *doctor.Options) { o.Events = append(o.Events, "registry") }),
		"problem events: the App is not subscribed to registry", "warning installation: it is suspended", stopped[0], "problem deliveries", stopped[1])
}

// TestNeedsMore sees what an older App lacks of what this version uses.
func TestNeedsMore(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	more := func(o *doctor.Options) {
		o.Permissions = ghapi.Permissions()
		o.Permissions["actions"] = "read"
	}
	r := examine(t, w, more)
	if got := worst(r)[0]; !strings.HasPrefix(got, "problem permissions: it lacks actions: read → Add them") || r.OK {
		t.Errorf("got %s", got)
	}
}

func TestWebhookSettings(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	for address, want := range map[string]string{
		"http://127.0.0.1:1/hook": "problem webhook: the server takes webhooks at /api/github/hook alone",
		"nowhere":                 "problem webhook: it leads nowhere",
		"https://other.example.com/api/github/hook":            "problem webhook: it leads to another place than STAGECOACH_PUBLIC_URL",
		"https://promote.example.com.evil.net/api/github/hook": "problem webhook: it leads to another place",
	} {
		w.Vars = map[string]string{"STAGECOACH_PUBLIC_URL": "https://promote.example.com"}
		if err := w.Sim.SetWebhook(w.App.ID, address, ""); err != nil {
			t.Fatal(err)
		}
		said(t, examine(t, w, nil), "warning installations", want, "problem webhook: it has no secret", "warning server")
	}
}

func TestClock(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	for skew, want := range map[time.Duration]string{
		10 * time.Second: "warning clock: this machine's clock is 10s ahead of GitHub's", -10 * time.Second: "warning clock: this machine's clock is ",
		time.Minute: "problem clock: ", -2 * time.Minute: "problem clock: ",
	} {
		r := examine(t, w, func(o *doctor.Options) { o.Now = func() time.Time { return time.Now().Add(skew) } })
		got := worst(r)[0]
		// The date of an answer has whole seconds, so the last digit may differ by one.
		if !strings.HasPrefix(strings.NewReplacer(" 9s", " 10s", " 11s", " 10s").Replace(got), want) {
			t.Errorf("%s: %s", skew, got)
		}
	}
}

func TestCredentials(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	r := examine(t, w, func(o *doctor.Options) { o.Settings.AppID++ })
	said(t, r, "problem app: GitHub does not take the private key", "skipped installations", "skipped webhook", "skipped deliveries", "warning server")
	r = examine(t, w, func(o *doctor.Options) { o.Settings.V3URL = "http://127.0.0.1:1/" })
	said(t, r, "problem github: it does not answer", "problem app: the App's registration could not be read", "skipped", "skipped", "skipped", "warning server")
}

func TestDataDirectory(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := examine(t, w, func(o *doctor.Options) { o.Settings.DataDir = file })
	if got := worst(r); !strings.HasPrefix(got[len(got)-1], "problem data: it cannot be written to") {
		t.Errorf("got %q", got)
	}
	w.StartServer()
	r = examine(t, w, func(o *doctor.Options) { o.Settings.Addr = "127.0.0.1:1" })
	if got := worst(r); !strings.HasPrefix(got[len(got)-1], "problem engine: another process has it open") {
		t.Errorf("got %q", got)
	}
}

// TestDashboardSettings: off, half set, of another App, and right.
func TestDashboardSettings(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.Until("a delivery got through", func() bool {
		all := w.Sim.Deliveries()
		return len(all) > 0 && all[0].OK()
	})
	with := func(id, secret string) doctor.Report {
		return examine(t, w, func(o *doctor.Options) {
			o.Settings.PublicURL, o.Settings.OAuthClientID, o.Settings.OAuthClientSecret = "http://"+w.Addr, id, secret
		})
	}
	said(t, with("", ""))
	said(t, with(w.App.ClientID, ""), "warning dashboard: it is off, although something for it is set → Set GITHUB_OAUTH_CLIENT_SECRET too.")
	said(t, with("Iv1.of-another", "s"), "problem dashboard: GITHUB_OAUTH_CLIENT_ID is Iv1.of-another, and the App's is "+w.App.ClientID)
	said(t, with(w.App.ClientID, "s"))
}
