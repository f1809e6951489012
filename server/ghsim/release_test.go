package ghsim_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// heard are the events of releases since the last time, with the tag of each.
func (w *world) heardOfReleases() []string {
	var out []string
	for _, r := range w.take() {
		if p := r.payload(w.t); r.event() == "release" {
			out = append(out, p["action"].(string)+" "+p["release"].(map[string]any)["tag_name"].(string))
		} else if ref, is := p["ref"].(string); is {
			out = append(out, "push "+ref)
		}
	}
	return out
}

func (w *world) tags() (out []string) {
	list, _, err := w.rest.Repositories.ListReleases(context.Background(), "acme", "gitops", nil)
	must(w.t, err)
	for _, rel := range list {
		out = append(out, rel.GetTagName())
	}
	return out
}

// A release is published, changed and deleted, and the App hears of each.
func TestReleases(t *testing.T) {
	w := newWorld(t)
	w.take()
	octocat := w.As("octocat")
	id, err := octocat.Publish(w.repo, "v1.0.0", false)
	must(t, err)
	steps := []struct {
		do   func() error
		want []string
	}{
		{func() error { return nil }, []string{"push refs/tags/v1.0.0", "created v1.0.0", "published v1.0.0", "released v1.0.0"}},
		{func() error { return octocat.EditRelease(w.repo, id, map[string]any{"prerelease": true}) }, []string{"edited v1.0.0", "prereleased v1.0.0"}},
		{func() error { return octocat.EditRelease(w.repo, id, map[string]any{"prerelease": false}) }, []string{"edited v1.0.0", "released v1.0.0"}},
		{func() error { return octocat.EditRelease(w.repo, id, map[string]any{"draft": true}) }, []string{"edited v1.0.0", "unpublished v1.0.0"}},
		{func() error { return octocat.EditRelease(w.repo, id, map[string]any{"draft": false}) }, []string{"edited v1.0.0", "published v1.0.0", "released v1.0.0"}},
		{func() error { return octocat.DeleteRelease(w.repo, id) }, []string{"deleted v1.0.0"}},
	}
	for i, step := range steps {
		must(t, step.do())
		if got := w.heardOfReleases(); !slices.Equal(got, step.want) {
			t.Errorf("step %d: heard %q, want %q", i, got, step.want)
		}
	}
	if left := w.Releases(w.repo); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	if _, _, err := w.rest.Git.GetRef(context.Background(), "acme", "gitops", "tags/v1.0.0"); err != nil {
		t.Errorf("the tag of the deleted release: %v", err)
	}
}

// A draft makes no tag, and those alone see it who may push.
func TestDraftsOfReleases(t *testing.T) {
	w := newWorld(t)
	w.take()
	octocat, monalisa := w.As("octocat"), w.As("monalisa")
	must(t, w.SetPermission(w.repo, "monalisa", "read"))
	must(t, octocat.Do("POST", "/repos/acme/gitops/releases", map[string]any{"tag_name": "v2", "draft": true}, nil))
	if got := w.heardOfReleases(); !slices.Equal(got, []string{"created v2"}) {
		t.Errorf("heard %q of a draft", got)
	}
	for who, want := range map[*ghsim.Person]int{&octocat: 1, &monalisa: 0} {
		var list []github.RepositoryRelease
		must(t, who.Do("GET", "/repos/acme/gitops/releases", nil, &list))
		if len(list) != want {
			t.Errorf("sees %d releases, want %d", len(list), want)
		}
	}
	if got := w.tags(); !slices.Equal(got, []string{"v2"}) {
		t.Errorf("an App that may write sees %q", got)
	}
	for _, path := range []string{"/latest", "/tags/v2"} {
		var refused *ghsim.Refused
		if err := octocat.Do("GET", "/repos/acme/gitops/releases"+path, nil, nil); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
			t.Errorf("%s of a draft: %v", path, err)
		}
	}
}

func TestReleasesThatAreRefused(t *testing.T) {
	w := newWorld(t)
	octocat := w.As("octocat")
	_, err := octocat.Publish(w.repo, "v1", false)
	must(t, err)
	must(t, w.SetPermission(w.repo, "monalisa", "read"))
	for name, c := range map[string]struct {
		who    ghsim.Person
		fields map[string]any
		status int
	}{
		"no tag":                  {octocat, map[string]any{}, 422},
		"a tag that is released":  {octocat, map[string]any{"tag_name": "v1"}, 422},
		"no commit to make it at": {octocat, map[string]any{"tag_name": "v2", "target_commitish": "none"}, 422},
		"somebody who reads":      {w.As("monalisa"), map[string]any{"tag_name": "v2"}, 403},
	} {
		var refused *ghsim.Refused
		if err := c.who.Do("POST", "/repos/acme/gitops/releases", c.fields, nil); !errors.As(err, &refused) || refused.Status != c.status {
			t.Errorf("%s: %v, want %d", name, err, c.status)
		}
	}
}

// The latest is by the date of the commit, not by that of the release, and no prerelease.
func TestTheLatestRelease(t *testing.T) {
	w := newWorld(t)
	octocat := w.As("octocat")
	old := w.Branches(w.repo)["main"]
	w.clock.pass(3600e9)
	_, err := octocat.Commit(w.repo, "main", map[string]string{"x": "y"}, "Later")
	must(t, err)
	_, err = octocat.Publish(w.repo, "v2", false)
	must(t, err)
	w.clock.pass(3600e9)
	must(t, octocat.Do("POST", "/repos/acme/gitops/releases", map[string]any{"tag_name": "v1.9", "target_commitish": old}, nil))
	_, err = octocat.Publish(w.repo, "v3-rc", true)
	must(t, err)
	rel, _, err := w.rest.Repositories.GetLatestRelease(context.Background(), "acme", "gitops")
	must(t, err)
	if rel.GetTagName() != "v2" {
		t.Errorf("the latest is %s", rel.GetTagName())
	}
	if got := w.tags(); !slices.Equal(got, []string{"v3-rc", "v2", "v1.9"}) {
		t.Errorf("listed %q", got)
	}
}
