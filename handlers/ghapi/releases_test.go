package ghapi_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// An app that may write contents is shown drafts too: they are nothing yet.
func TestReleasesAreNoDrafts(t *testing.T) {
	w := newWorld(t)
	for _, in := range []map[string]any{
		{"tag_name": "v1.0.0", "name": "The first"}, {"tag_name": "v1.1.0-rc.1", "prerelease": true},
		{"tag_name": "v2.0.0", "draft": true},
	} {
		must(t, w.As("octocat").Do("POST", "/repos/acme/gitops/releases", in, nil))
	}
	got, err := w.API.Releases(t.Context(), w.repo())
	must(t, err)
	want := map[string]promotion.Release{
		"v1.0.0":      {Tag: "v1.0.0", Name: "The first", By: "octocat"},
		"v1.1.0-rc.1": {Tag: "v1.1.0-rc.1", By: "octocat", Prerelease: true},
	}
	if len(got) != len(want) {
		t.Errorf("got %d releases, want %d: %+v", len(got), len(want), got)
	}
	for _, r := range got {
		if r.At.IsZero() {
			t.Errorf("%s has no time", r.Tag)
		}
		r.At = want[r.Tag].At
		if r != want[r.Tag] {
			t.Errorf("got %+v, want %+v", r, want[r.Tag])
		}
	}
}
