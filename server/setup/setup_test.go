package setup_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/doctor"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
	"github.com/stagecoach-app/stagecoach/server/setup"
)

// One App for an organization: what GitHub holds of it is what doctor asks for, the file is what serve takes, and
// nobody else may read it.
func TestRegister(t *testing.T) {
	w := newWorld(t)
	r := w.registered()
	if !r.OK || r.App != "stagecoach-acme" || r.File != w.file || len(r.Next) == 0 || !strings.Contains(strings.Join(r.Next, "\n"), "/apps/stagecoach-acme/installations/new") {
		t.Errorf("got %+v", r)
	}
	info, err := os.Stat(w.file)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v", info.Mode())
	}
	set := w.settings()
	if set.AppID != r.AppID || set.WebURL != w.URL() || set.PublicURL != public || set.OAuthClientID == "" || set.OAuthClientSecret == "" || len(set.MetricsToken) < 20 {
		t.Errorf("the settings are %s", set)
	}
	for _, c := range doctor.Registration(context.Background(), doctor.Options{Settings: set, Transport: w.wire}).Checks {
		if c.Status != doctor.OK && c.Name != "installations" {
			t.Errorf("doctor: %+v", c)
		}
	}
	hook, secret := w.Webhook(r.AppID)
	if hook != public+"/api/github/hook" || secret != set.WebhookSecret {
		t.Errorf("the webhook leads to %s, signed with another secret: %v", hook, secret != set.WebhookSecret)
	}
	secrets := []string{set.WebhookSecret, set.OAuthClientSecret, set.MetricsToken, "PRIVATE KEY"}
	for _, secret := range secrets {
		if strings.Contains(w.told.String(), secret) {
			t.Errorf("a secret was told: %s", w.told.String())
		}
	}
}

// --print is for secret stores: the same text, and no file.
func TestPrint(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	var printed bytes.Buffer
	o.Print, o.Org, o.Name = &printed, "", "Coach"
	r, err := w.run(o)
	must(t, err)
	if set := settingsOf(t, printed.Bytes()); set.AppID != r.AppID || r.App != "coach" || r.File != "" {
		t.Errorf("got %+v and %s", r, set)
	}
	if _, err := os.Stat(w.file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}

// A name that is taken is refused by GitHub's page; the person goes back, gives another, and the setup still waits.
func TestTheNameIsTaken(t *testing.T) {
	w := newWorld(t)
	_, err := w.RegisterApp(ghsim.App{Slug: "stagecoach-acme", PrivateKey: sharedKey(t)})
	must(t, err)
	o := w.options()
	o.Open = func(address string) error {
		go func() {
			if text := w.agree(address); !strings.Contains(text, "already in use") {
				t.Errorf("GitHub's page says %s", text)
			}
			w.name = "Coach of acme"
			w.agree(address)
		}()
		return nil
	}
	r, err := w.run(o)
	must(t, err)
	if r.App != "coach-of-acme" {
		t.Errorf("got %+v", r)
	}
}

// Answers that are none: another state, no code, a name that was made to lead here, a code that GitHub does not know.
// The setup says so and waits for the right one; a second App is not stored over the first.
func TestAnswersThatAreNone(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Open = func(address string) error {
		go func() {
			client := &http.Client{Transport: w.wire}
			here := address[:strings.LastIndex(address, "/")]
			ask := func(address, host string, want int) {
				req, err := http.NewRequest(http.MethodGet, address, nil)
				if err == nil {
					req.Host = host
					resp, err := client.Do(req)
					if err == nil {
						_ = resp.Body.Close()
						if resp.StatusCode != want {
							t.Errorf("%s as %q: %d, want %d", address, host, resp.StatusCode, want)
						}
						return
					}
				}
				t.Error(err)
			}
			ask(here+"/created?code=x&state=y", "", http.StatusForbidden)
			ask(here+"/created?code=x", "", http.StatusForbidden)
			ask(here+"/", "", http.StatusNotFound)
			ask(address, "evil.example.com", http.StatusForbidden)
			v := servertest.NewVisitor()
			defer v.Close()
			if err := v.Go(address); err != nil {
				t.Error(err)
			}
			_, state, _ := strings.Cut(v.Text, "state=")
			state, _, _ = strings.Cut(state, `"`)
			ask(here+"/created?state="+state, "", http.StatusForbidden)
			ask(here+"/created?code=unknown&state="+state, "", http.StatusBadGateway)
			w.agree(address)
		}()
		return nil
	}
	_, err := w.run(o)
	must(t, err)
	if !strings.Contains(w.told.String(), "GitHub does not know this code") {
		t.Errorf("told: %s", w.told.String())
	}
	w.settings()
}

// A setup that is given up leaves no file, and no listener (which the end of the tests looks for).
func TestGivenUp(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	ctx, cancel := context.WithCancel(context.Background())
	o.Open = func(string) error { cancel(); return nil }
	if _, err := setup.Run(ctx, o); err == nil || !strings.Contains(err.Error(), "stopped before") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(w.file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}

func TestOptions(t *testing.T) {
	w := newWorld(t)
	for want, change := range map[string]func(*setup.Options){
		"--public-url is missing": func(o *setup.Options) { o.PublicURL = "" },
		"write scheme, host":      func(o *setup.Options) { o.PublicURL = "promote.example.com" },
		"GitHub cannot reach":     func(o *setup.Options) { o.PublicURL, o.WebURL = "http://localhost:8080", "" },
		"no address of a GitHub":  func(o *setup.Options) { o.WebURL = "https://github.example.com/acme" },
		"at most 34 characters":   func(o *setup.Options) { o.Name = strings.Repeat("x", 35) },
	} {
		o := w.options()
		change(&o)
		_, err := w.run(o)
		var option setup.OptionError
		if !errors.As(err, &option) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	must(t, os.WriteFile(w.file, []byte("STAGECOACH_ADDR=:1\n"), 0o600))
	if _, err := w.run(w.options()); err == nil || !strings.Contains(err.Error(), "is left as it is") {
		t.Errorf("a file of something else: %v", err)
	}
	if content, _ := os.ReadFile(w.file); string(content) != "STAGECOACH_ADDR=:1\n" {
		t.Errorf("it was changed to %q", content)
	}
}
