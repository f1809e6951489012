package ghsim_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v57/github"
)

const created = "http://127.0.0.1:9/created"

// wish is a manifest with fields changed; nil takes one away.
func wish(t *testing.T, changes map[string]any) string {
	t.Helper()
	m := map[string]any{
		"name": "Stage Coach", "url": "https://example.com", "redirect_url": created, "hook_attributes": map[string]any{"url": "https://example.com/hook"},
		"callback_urls": []string{callback}, "default_permissions": map[string]string{"contents": "write"}, "default_events": []string{"push"},
	}
	for name, value := range changes {
		if m[name] = value; value == nil {
			delete(m, name)
		}
	}
	raw, err := json.Marshal(m)
	must(t, err)
	return string(raw)
}

// agree presses the button under a manifest, and gives the code.
func (w *world) agree(raw, owner, login string) (string, error) {
	w.t.Helper()
	m, err := w.ReadManifest(raw)
	if err != nil {
		return "", err
	}
	to, err := w.CreateFromManifest(m, owner, login, "a state")
	if err != nil {
		return "", err
	}
	u, err := url.Parse(to)
	must(w.t, err)
	if u.Host != "127.0.0.1:9" || u.Query().Get("state") != "a state" {
		w.t.Errorf("it leads to %s", to)
	}
	return u.Query().Get("code"), nil
}

func TestManifest(t *testing.T) {
	w := newWorld(t)
	w.AddOrgMember("acme", "octocat", false)
	w.AddOrgMember("acme", "boss", true)
	for name, c := range map[string]struct {
		change       map[string]any
		owner, login string
		want         string
	}{
		"no url":           {change: map[string]any{"url": nil}, want: `"url" wasn't supplied`},
		"no redirect":      {change: map[string]any{"redirect_url": nil}, want: `"redirect_url" wasn't supplied`},
		"a bad address":    {change: map[string]any{"setup_url": "here"}, want: "setup_url must be a valid URL"},
		"no hook":          {change: map[string]any{"hook_attributes": nil}, want: "hook url cannot be blank"},
		"event without":    {change: map[string]any{"default_events": []string{"issues"}}, want: "needs the permission issues"},
		"a taken name":     {change: map[string]any{"name": "Stagecoach"}, want: "already in use"},
		"somebody's login": {change: map[string]any{"name": "Monalisa"}, want: "already in use"},
		"a long name":      {change: map[string]any{"name": strings.Repeat("x", 35)}, want: "too long"},
		"no owner":         {owner: "acme", want: "does not administer"},
		"nobody":           {login: "ghost", want: "Not Found"},
	} {
		login := "octocat"
		if c.login != "" {
			login = c.login
		}
		if _, err := w.agree(wish(t, c.change), c.owner, login); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := w.ReadManifest("{"); err == nil {
		t.Error("broken JSON was taken")
	}
}

func TestConversion(t *testing.T) {
	w := newWorld(t)
	w.AddOrgMember("acme", "boss", true)
	anybody := w.client(w.conn)
	convert := func(code string) (*github.AppConfig, error) {
		got, _, err := anybody.Apps.CompleteAppManifest(context.Background(), code)
		return got, err
	}
	refused := func(code string) {
		t.Helper()
		_, err := convert(code)
		var answer *github.ErrorResponse
		if !errors.As(err, &answer) || answer.Response.StatusCode != http.StatusNotFound {
			t.Errorf("want 404, got %v", err)
		}
	}
	code, err := w.agree(wish(t, nil), "acme", "boss")
	must(t, err)
	app, err := convert(code)
	must(t, err)
	if app.GetSlug() != "stage-coach" || app.GetName() != "Stage Coach" || app.GetOwner().GetLogin() != "acme" || app.GetWebhookSecret() == "" || app.GetClientSecret() == "" {
		t.Errorf("got %+v", app)
	}
	refused(code) // once
	refused("another")
	w.app.ID, w.app.PrivateKey = app.GetID(), app.GetPEM()
	_, jwt := w.clients(0)
	hook, _, err := jwt.Apps.GetHookConfig(context.Background())
	must(t, err)
	if hook.GetURL() != "https://example.com/hook" || hook.GetSecret() == "" {
		t.Errorf("the hook is %+v", hook)
	}
	code, err = w.agree(wish(t, map[string]any{"name": "late", "hook_attributes": map[string]any{"active": false}}), "", "octocat")
	must(t, err)
	w.auth.pass(time.Hour)
	refused(code)
}
