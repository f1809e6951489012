package gitops_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMoved tells where files went that a change writes to.
func TestMoved(t *testing.T) {
	s := newRemote(t)
	base := []file{{path: "envs/prod/a.yaml", content: "a: 1\n"}, {path: "b.yaml", content: "b: 1\n"}, {path: "c.yaml", content: "c: 1\n"}, {path: "d.yaml", content: "d: 1\n"}}
	_, ours, theirs := s.sides(base,
		[]file{{path: "envs/prod/a.yaml", content: "a: 2\n"}, {path: "b.yaml", content: "b: 2\n"}, {path: "c.yaml", content: "c: 2\n"}, {path: "d.yaml", content: "d: 2\n"}, {path: "new.yaml", content: "n\n"}},
		[]file{
			{path: "envs/prod/a.yaml", remove: true}, {path: "envs/production/a.yaml", content: "a: 1\n"}, // moved
			{path: "b.yaml", remove: true},                                      // deleted
			{path: "c.yaml", remove: true}, {path: "e.yaml", content: "c: 3\n"}, // moved and changed: nobody can tell
			{path: "d.yaml", content: "d: 3\n"}, {path: "copy.yaml", content: "d: 1\n"}, // stays
		})
	repo := s.open(t)
	got, err := repo.Moved(t.Context(), ours, theirs, []string{"envs/prod/a.yaml", "b.yaml", "c.yaml", "d.yaml", "new.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"envs/prod/a.yaml": "envs/production/a.yaml", "b.yaml": "", "c.yaml": ""}, got); diff != "" {
		t.Error(diff)
	}
	if got, err := repo.Moved(t.Context(), ours, theirs, []string{"d.yaml"}); len(got) != 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
