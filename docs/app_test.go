package docs_test

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestApp compares the tables of permissions and events with app.yml, which
// handlers compares with what is used and handled.
func TestApp(t *testing.T) {
	raw, err := os.ReadFile("../app.yml")
	must(t, err)
	var app struct {
		Events      []string          `yaml:"default_events"`
		Permissions map[string]string `yaml:"default_permissions"`
	}
	must(t, yaml.Unmarshal(raw, &app))
	for _, row := range table(t, "configuration.md", "Permissions of the App") {
		name := ticked(row[0])[0]
		if app.Permissions[name] != row[1] {
			t.Errorf("the page says %s: %s, app.yml %q", name, row[1], app.Permissions[name])
		}
		delete(app.Permissions, name)
	}
	for name := range app.Permissions {
		t.Errorf("the permission %s has no row", name)
	}
	var documented []string
	for _, row := range table(t, "configuration.md", "Events of the App") {
		documented = append(documented, ticked(row[0])[0])
	}
	if got, want := strings.Join(documented, " "), strings.Join(app.Events, " "); got != want {
		t.Errorf("the page says the events are %s, app.yml %s", got, want)
	}
}
