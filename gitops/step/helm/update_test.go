package helm

import (
	"strings"
	"testing"
)

// Of one chart that stands there several times, an alias chooses one.
func TestUpdatesByAlias(t *testing.T) {
	const chart = `apiVersion: v2
name: web
version: 0.1.0
dependencies: # kept
- {name: db, alias: users, version: 1.0.0, repository: https://example.com}
- {name: db, alias: orders, version: 1.0.0, repository: https://example.com/}
- {name: db, version: 1.0.0, repository: https://example.org}
`
	for alias, want := range map[string]string{
		"":       strings.Replace(chart, "version: 1.0.0, repository: https://example.com", "version: 2.0.0, repository: https://example.com", 2),
		"orders": strings.Replace(chart, "alias: orders, version: 1.0.0", "alias: orders, version: 2.0.0", 1),
	} {
		cfg := updateConfig{Charts: []chartUpdate{{Repository: "https://example.com", Name: "db", Alias: alias, Version: "2.0.0"}}}
		got, meta, err := cfg.edit([]byte(chart))
		if err != nil || string(got) != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", alias, err, got, want)
			continue
		}
		if meta.Dependencies[1].Version != "2.0.0" || meta.Dependencies[2].Version != "1.0.0" || (meta.Dependencies[0].Version == "2.0.0") != (alias == "") {
			t.Errorf("%q: the versions to fetch are others", alias)
		}
	}
	cfg := updateConfig{Charts: []chartUpdate{{Repository: "https://example.com", Name: "db", Alias: "order", Version: "2.0.0"}}}
	if _, _, err := cfg.edit([]byte(chart)); err == nil || !strings.Contains(err.Error(), "none of its dependencies is db from https://example.com as order; it has db from https://example.com as users, db from https://example.com/ as orders") {
		t.Errorf("another alias: %v", err)
	}
}
