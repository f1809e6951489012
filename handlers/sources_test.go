package handlers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
)

const linked = `,"repository":{"id":7,"full_name":"acme/app","default_branch":"main"},"installation":{"id":3}}`

func container(kind, url string) string {
	return `{"action":"published","registry_package":{"name":"Web","namespace":"acme","package_type":"` + kind + `","package_version":{"body":{"repository":{}},"package_url":"` + url + `"}}`
}

func TestHintsOfSources(t *testing.T) {
	for name, c := range map[string]struct {
		event, payload string
		want           []promotion.Moved // what pipelines of any repository hear
		own            bool              // its own lane hears it too
	}{
		"an image":                 {"registry_package", container("CONTAINER", "ghcr.io/acme/web:1") + linked, []promotion.Moved{{Watch: "oci:ghcr.io/acme/web"}}, true},
		"of a GitHub of one's own": {"registry_package", container("container", "containers.github.example.com/acme/web:1") + linked, []promotion.Moved{{Watch: "oci:containers.github.example.com/acme/web"}}, true},
		"an image in a folder":     {"registry_package", container("CONTAINER", "ghcr.io/acme/charts/web:1") + linked, []promotion.Moved{{Watch: "oci:ghcr.io/acme/charts/web"}}, true},
		"without a tag":            {"registry_package", container("CONTAINER", "ghcr.io/acme/web:") + linked, []promotion.Moved{{Watch: "oci:ghcr.io/acme/web"}}, true},
		"with a port":              {"registry_package", container("CONTAINER", "registry.example.com:5000/acme/web@sha256:0a") + linked, []promotion.Moved{{Watch: "oci:registry.example.com:5000/acme/web"}}, true},
		"with no address":          {"registry_package", container("CONTAINER", "web") + linked, []promotion.Moved{{Watch: "oci:ghcr.io/acme/web"}}, true},
		"linked to no repository":  {"registry_package", container("CONTAINER", "") + `,"installation":{"id":3}}`, []promotion.Moved{{Watch: "oci:ghcr.io/acme/web"}}, false},
		"a package of npm":         {"registry_package", container("npm", "") + linked, nil, false},
		"a release":                {"release", `{"action":"published"` + linked, []promotion.Moved{{Watch: "release:acme/app"}}, true},
		"a draft":                  {"release", `{"action":"created"` + linked, nil, false},
		"a branch":                 {"push", `{"ref":"refs/heads/next","after":"a"` + linked, []promotion.Moved{{Watch: "git:acme/app", Branch: "next", Change: &promotion.Movement{After: "a"}}}, false},
		"the default branch":       {"push", `{"ref":"refs/heads/main","after":"a"` + linked, []promotion.Moved{{Watch: "git:acme/app", Branch: "main", Default: true, Change: &promotion.Movement{After: "a"}}}, false},
		"a tag":                    {"push", `{"ref":"refs/tags/v1","after":"a"` + linked, []promotion.Moved{{Watch: "tags:acme/app"}}, true},
		"a merge queue's branch":   {"push", `{"ref":"refs/heads/gh-readonly-queue/main/pr-1-a","after":"a"` + linked, nil, false},
		"nothing that can be read": {"push", `{`, nil, false},
		"a comment":                {"issue_comment", `{}`, nil, false},
	} {
		if diff := cmp.Diff(c.want, handlers.Heard(c.event, []byte(c.payload))); diff != "" {
			t.Errorf("%s: heard (-want +got)\n%s", name, diff)
		}
		events, _ := us.Translate(c.event, "guid-1", []byte(c.payload))
		own := false
		for _, e := range events {
			if m, ok := e.Body.(promotion.Moved); ok {
				own = true
				if m.Watch != c.want[0].Watch || e.Repo.ID != 7 {
					t.Errorf("%s: its own lane hears %+v of %d", name, m, e.Repo.ID)
				}
			}
		}
		if own != c.own {
			t.Errorf("%s: its own lane hears it: %v, want %v", name, own, c.own)
		}
	}
}

func TestDispatches(t *testing.T) {
	for payload, want := range map[string]*promotion.Moved{
		`{"action":"stagecoach","client_payload":{"source":"web","version":"1.2.3"}` + linked: {Source: "web"},
		`{"action":"stagecoach","client_payload":null` + linked:                               {},
		`{"action":"deploy","client_payload":{"source":"web"}` + linked:                       nil,
	} {
		events := translate(t, "repository_dispatch", []byte(payload))
		if want == nil && len(events) > 0 || want != nil && (len(events) != 1 || events[0].Body != *want) {
			t.Errorf("%s: %+v", payload, events)
		}
	}
}

func TestAHintFindsItsLane(t *testing.T) {
	change := &promotion.Movement{Before: "b", After: "a", Paths: []string{"src/main.go"}, Whole: true}
	eventType, payload := handlers.Hint(promotion.Repo{ID: 9, Owner: "acme", Name: "gitops"}, promotion.Moved{Watch: "git:acme/app", Branch: "main", Default: true, Change: change})
	if key, err := handlers.Key(eventType, payload); err != nil || key != "r9" {
		t.Errorf("key %q, %v", key, err)
	}
	events := translate(t, eventType, payload)
	if len(events) != 1 || events[0].Repo.ID != 9 || !cmp.Equal(events[0].Body, promotion.EventBody(promotion.Moved{Watch: "git:acme/app", Branch: "main", Default: true, Change: change})) {
		t.Errorf("%+v", events)
	}
	if key, err := handlers.Key("registry_package", []byte(container("CONTAINER", "")+`,"installation":{"id":3}}`)); err != nil || key != "i3" {
		t.Errorf("a package of no repository: key %q, %v", key, err)
	}
}

// What a push says of the paths that it changed, to those who follow its branch from
// another repository.
func TestHintsOfPathsThatMoved(t *testing.T) {
	commit := func(message string, paths ...string) string {
		raw, _ := json.Marshal(map[string]any{"id": "c", "message": message, "added": paths})
		return string(raw)
	}
	many := make([]string, 290)
	var large []string
	for i := range 4 {
		for k := range many {
			many[k] = fmt.Sprint("f", i, k)
		}
		large = append(large, commit("Many", many...))
	}
	const promoted = "Promote\n\nStagecoach-Promotion: dev.1.a\n"
	for name, c := range map[string]struct {
		commits string
		whole   bool
		paths   []string
	}{
		"people's":               {commit("A", "a", "b") + "," + commit("B", "b", "c"), true, []string{"a", "b", "c"}},
		"with a promotion's":     {commit("A", "a") + "," + commit(promoted, "envs/dev"), true, []string{"a"}},
		"promotions alone":       {commit(promoted, "envs/dev"), true, nil},
		"with one that is empty": {commit("A", "a") + "," + commit("Merge"), false, []string{"a"}},
		"more than are told":     {strings.Join(large, ","), false, nil},
		"none":                   {"", false, nil},
	} {
		payload := `{"ref":"refs/heads/main","before":"b","after":"a","commits":[` + c.commits + `]` + linked
		want := &promotion.Movement{Before: "b", After: "a", Whole: c.whole, Paths: c.paths}
		if diff := cmp.Diff(want, handlers.Heard("push", []byte(payload))[0].Change); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}
