package setup_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/doctor"
	"github.com/stagecoach-app/stagecoach/server/setup"
)

var testKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func sharedKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := testKey()
	must(t, err)
	return key
}

// unattended is a setup that may ask nobody.
func (w *world) unattended() setup.Options {
	o := w.options()
	o.Open = func(address string) error { w.t.Errorf("a browser was sent to %s", address); return nil }
	return o
}

// Run again, setup has nothing to do; then it mends the webhook, the file's mode and the address, and the rest of the
// file stays.
func TestMend(t *testing.T) {
	w := newWorld(t)
	first := w.registered()
	r, err := w.run(w.unattended())
	must(t, err)
	if !r.OK || r.AppID != first.AppID || len(r.Changed) > 0 {
		t.Errorf("nothing was wrong: %+v", r)
	}
	before, err := os.ReadFile(w.file)
	must(t, err)
	must(t, os.Chmod(w.file, 0o644))
	must(t, w.SetWebhook(first.AppID, "https://old.example.com/hook", ""))
	o := w.unattended()
	o.PublicURL = "https://new.example.com/coach/"
	r, err = w.run(o)
	must(t, err)
	said := strings.Join(r.Changed, "\n")
	for _, want := range []string{"its mode is 0600 now", "STAGECOACH_PUBLIC_URL", "led to https://old.example.com/hook", "had no secret"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
	info, err := os.Stat(w.file)
	must(t, err)
	hook, secret := w.Webhook(first.AppID)
	if info.Mode().Perm() != 0o600 || hook != "https://new.example.com/coach/api/github/hook" || secret != w.settings().WebhookSecret {
		t.Errorf("mode %v, webhook %s", info.Mode(), hook)
	}
	after, err := os.ReadFile(w.file)
	must(t, err)
	if want := bytes.Replace(before, []byte(public), []byte("https://new.example.com/coach"), 1); !bytes.Equal(after, want) {
		t.Errorf("the file is now\n%s", after)
	}
}

// What only the owner can change is said, with where, and is a failure.
func TestOwnersPart(t *testing.T) {
	w := newWorld(t)
	first := w.registered()
	must(t, w.SetAppPermissions(first.AppID, map[string]string{"contents": "read", "issues": "write", "metadata": "read"}, "issues"))
	r, err := w.run(w.unattended())
	must(t, err)
	text := doctor.Lines(r.Checks)
	if r.OK || !strings.Contains(text, "contents: write") || !strings.Contains(text, "not subscribed to") ||
		!strings.Contains(r.Next[0], w.URL()+"/organizations/acme/settings/apps/stagecoach-acme/permissions") {
		t.Errorf("got %+v\n%s", r, text)
	}
}

func TestMendSaysWhatItCannot(t *testing.T) {
	w := newWorld(t)
	w.registered()
	content, err := os.ReadFile(w.file)
	must(t, err)
	for want, change := range map[string]func(*setup.Options, *string){
		"names another GitHub": func(o *setup.Options, _ *string) { o.WebURL = "https://github.com" },
		"cannot be used":       func(_ *setup.Options, s *string) { *s = strings.Replace(*s, "BEGIN RSA", "BEGUN RSA", 1) },
		"GitHub does not take": func(_ *setup.Options, s *string) { *s = strings.Replace(*s, "INTEGRATION_ID=", "INTEGRATION_ID=9", 1) },
		"give --public-url": func(o *setup.Options, s *string) {
			o.PublicURL, *s = "", strings.Replace(*s, "STAGECOACH_PUBLIC_URL=", "X=", 1)
		},
		"not of the form NAME=VALU": func(_ *setup.Options, s *string) { *s += "what\n" },
	} {
		o, text := w.unattended(), string(content)
		change(&o, &text)
		must(t, os.WriteFile(w.file, []byte(text), 0o600))
		if _, err := w.run(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if got, _ := os.ReadFile(w.file); string(got) != text {
			t.Errorf("%s: the file was changed", want)
		}
	}
}
