package ghapi_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestFind(t *testing.T) {
	w := newWorld(t)
	mark := len(w.Requests())
	got, err := w.Find(t.Context(), "acme", "gitops")
	must(t, err)
	if diff := cmp.Diff(w.repo(), got); diff != "" {
		t.Errorf("the repository (-want +got):\n%s", diff)
	}
	if n := len(w.Requests()) - mark; n != 3 { // with the token
		t.Errorf("took %d requests", n)
	}
	_, err = w.CreateRepo("acme", "other", ghsim.RepoOptions{Files: map[string]string{"a": "b"}})
	must(t, err)
	for _, name := range []string{"other", "none"} {
		if _, err := w.Find(t.Context(), "acme", name); !errors.Is(err, ghapi.ErrNotInstalled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, w.Suspend(w.inst))
	if _, err := w.Find(t.Context(), "acme", "gitops"); !errors.Is(err, ghapi.ErrSuspended) {
		t.Errorf("suspended: %v", err)
	}
}
