package handlers_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
)

// manifest is app.yml; it has no other fields.
type manifest struct {
	Name, Description, URL string
	Public                 bool
	Hook                   struct {
		URL    string
		Active bool
	} `yaml:"hook_attributes"`
	Callbacks   []string          `yaml:"callback_urls"`
	SetupURL    string            `yaml:"setup_url"`
	Events      []string          `yaml:"default_events"`
	Permissions map[string]string `yaml:"default_permissions"`
}

// needs is the permission without which GitHub does not let an App subscribe to
// an event. Pressed buttons come only with checks: write.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads
var needs = map[string]string{
	"check_run": "checks: write", "issue_comment": "issues", "issues": "issues", "pull_request": "pull_requests",
	"pull_request_review": "pull_requests", "push": "contents", "registry_package": "packages", "release": "contents", "repository": "metadata", "repository_dispatch": "contents: write", "status": "statuses",
}

func TestTheManifestIsWhatWeUse(t *testing.T) {
	raw, err := os.ReadFile("../app.yml")
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ghapi.Permissions(), m.Permissions); diff != "" {
		t.Errorf("permissions (-used +app.yml):\n%s", diff)
	}
	// These come to every App and are refused in a manifest.
	chosen := slices.DeleteFunc(handlers.Events(), func(e string) bool { return strings.HasPrefix(e, "installation") })
	if diff := cmp.Diff(chosen, m.Events); diff != "" {
		t.Errorf("events (-handled +app.yml):\n%s", diff)
	}
	for _, event := range m.Events {
		name, level, _ := strings.Cut(needs[event], ": ")
		if has := m.Permissions[name]; has == "" || level != "" && has != level {
			t.Errorf("the event %s needs the permission %s, and app.yml has %q", event, needs[event], has)
		}
	}
	if m.Name == "" || m.URL == "" || !m.Hook.Active || !strings.HasSuffix(m.Hook.URL, "/api/github/hook") {
		t.Errorf("app.yml is incomplete: %+v", m)
	}
}
