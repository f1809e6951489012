package server_test

import (
	"bufio"
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/ghsim/page"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// TestNewcomer is the first day with the real binary, as docs/quick-start.md tells it: the App is registered in a
// browser, its one file is all that serve gets, doctor is content, a change goes to prod by a comment, and the
// dashboard shows it. Nothing but the data directory can be written to: as in the image, there is no place for
// temporary files, and no home.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.Sim.HandlePages(page.New(w.Sim, page.Options{As: "octocat"}))
	w.Sim.AddOrgMember("acme", "octocat", true)
	file := filepath.Join(t.TempDir(), "stagecoach.env")
	setUp(t, w, file)

	w.Vars = map[string]string{"TMPDIR": "/nowhere", "HOME": "/nowhere", "STAGECOACH_PACE": "off"}
	credentials := []string{
		"GITHUB_WEB_URL", "GITHUB_V3_API_URL", "GITHUB_V4_API_URL", "GITHUB_APP_INTEGRATION_ID", "GITHUB_APP_WEBHOOK_SECRET", "GITHUB_APP_PRIVATE_KEY",
	}
	for _, name := range credentials { // they are in the file alone
		w.Vars[name] = ""
	}
	if code, said := w.RunProcess("doctor", "--env-file", file); code != 0 || !strings.Contains(said, "the App is not installed anywhere") || !strings.Contains(said, "stagecoach serve") {
		t.Errorf("doctor before the start ends with %d:\n%s", code, said)
	}
	w.StartProgram(servertest.Product, "serve", "--env-file", file)
	w.App = registered(t, file)
	w.InstallApp()
	w.Until("dev has the change", func() bool { return len(w.Open()) == 1 })
	if code, said := w.RunProcess("doctor", "--env-file", file); code != 0 || strings.Contains(said, "❌") || strings.Contains(said, "✋") {
		t.Errorf("doctor beside the server ends with %d:\n%s", code, said)
	}
	if code, said := w.RunProcess("setup", "--file", file, "--output", "json"); code != 0 || !strings.Contains(said, `"ok":true`) || strings.Contains(said, "changed") {
		t.Errorf("setup once more ends with %d:\n%s", code, said)
	}
	maps.Copy(w.Vars, variables(t, file)) // with which the story reads the record
	w.Story()
	for _, fault := range w.Faults() {
		t.Error(fault)
	}
	signIn(t, w)
	if code := w.Terminate(); code != 0 {
		t.Errorf("exit code %d after SIGTERM\n%s", code, w.Output())
	}
	keepsQuiet(t, w.Output(), file)
}

var startPage = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w+`)

// setUp runs stagecoach setup, and is octocat in the browser.
func setUp(t *testing.T, w *servertest.World, file string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), servertest.Build(t, servertest.Product), "setup",
		"--public-url", "http://"+w.Addr, "--github-url", w.Sim.URL(), "--org", "acme", "--no-browser", "--file", file)
	cmd.Env = []string{"PATH=/nowhere"}
	var out bytes.Buffer
	cmd.Stdout = &out
	told, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	lines, address := bufio.NewScanner(told), ""
	for address == "" && lines.Scan() {
		address = startPage.FindString(lines.Text())
	}
	octocat := servertest.NewVisitor()
	defer octocat.Close()
	must(t, octocat.Go(address))
	must(t, octocat.Press())
	must(t, octocat.Press("name", "Coach"))
	for lines.Scan() { // until it ends
	}
	must(t, cmd.Wait())
	if !strings.Contains(octocat.Text, "coach is registered") || !strings.Contains(out.String(), "/apps/coach/installations/new") {
		t.Errorf("the page says\n%s\nthe terminal\n%s", octocat.Text, out.String())
	}
}

func variables(t *testing.T, file string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(file)
	must(t, err)
	vars, err := config.ReadEnv(file, content)
	must(t, err)
	return vars
}

// registered is the App of the file.
func registered(t *testing.T, file string) ghsim.RegisteredApp {
	t.Helper()
	vars := variables(t, file)
	set, err := config.Load("", func(name string) string { return vars[name] }, os.ReadFile)
	must(t, err)
	return ghsim.RegisteredApp{ID: set.AppID, ClientID: set.OAuthClientID, PrivateKey: set.PrivateKey, Bot: "coach[bot]"}
}

// signIn looks at the dashboard as octocat.
func signIn(t *testing.T, w *servertest.World) {
	t.Helper()
	octocat := servertest.NewVisitor()
	defer octocat.Close()
	must(t, octocat.Go("http://"+w.Addr+"/login?to="+"/r/acme/gitops"))
	must(t, octocat.Press("answer", "yes"))
	must(t, octocat.Go("http://"+w.Addr+"/r/acme/gitops"))
	if octocat.Code != 200 || !strings.Contains(octocat.Text, "prod") || !strings.Contains(octocat.Text, "octocat") {
		t.Errorf("the dashboard shows %d\n%s", octocat.Code, octocat.Text)
	}
}

// keepsQuiet sees that no secret of the file is in a text.
func keepsQuiet(t *testing.T, text, file string) {
	t.Helper()
	for name, value := range variables(t, file) {
		secret := strings.Contains(name, "SECRET") || strings.Contains(name, "KEY") || strings.Contains(name, "TOKEN")
		if secret && (strings.Contains(text, value) || strings.Contains(text, value[len(value)/2:])) {
			t.Errorf("%s is in what was written", name)
		}
	}
	if strings.Contains(text, "PRIVATE KEY") {
		t.Error("a private key is in what was written")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
