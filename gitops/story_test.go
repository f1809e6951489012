package gitops_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// sample is a small GitOps repository.
func sample(s *remote) string {
	return s.commit("main",
		file{path: ".github/stagecoach.yml", content: "version: 1\n"},
		file{path: ".github/stagecoach/other.yaml", content: "version: 1 # other\n"},
		file{path: "envs/dev/kustomization.yaml", content: "images:\n- name: web\n  newTag: 1.0.0\n"},
		file{path: "envs/prod/kustomization.yaml", content: "images:\n- name: web\n  newTag: 1.0.0\n"},
		file{path: "envs/prod/run.sh", content: "#!/bin/sh\n", mode: "100755"},
		file{path: "README.md", content: "# GitOps\n"},
	)
}

// TestPromotion carries one change to a branch, as git-clone, an edit,
// git-commit and git-push do.
func TestPromotion(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)

	files := must[map[string]gitops.File](t)(r.ReadFiles(t.Context(), base, ".github/stagecoach.yml", ".github/stagecoach/", "nothing/here.yml"))
	if len(files) != 2 || string(files[".github/stagecoach/other.yaml"].Content) != "version: 1 # other\n" {
		t.Errorf("files %v", files)
	}

	s.Reset()
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	text := must[[]byte](t)(ws.ReadFile(t.Context(), "envs/prod/kustomization.yaml"))
	write(t, ws, "envs/prod/kustomization.yaml", strings.Replace(string(text), "1.0.0", "1.1.0", 1))
	c := must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(base)))
	want := []promotion.Change{{Path: "envs/prod/kustomization.yaml", Status: "modified", Before: "  newTag: 1.0.0", After: "  newTag: 1.1.0"}}
	if diff := cmp.Diff(want, c.Changes); diff != "" {
		t.Error(diff)
	}
	p := must[gitops.Pushed](t)(r.Push(t.Context(), gitops.PushRequest{Branch: "stagecoach/default/prod/x", Commit: c}))
	if diff := cmp.Diff(gitops.Pushed{Commit: c.SHA, Tip: c.SHA}, p); diff != "" {
		t.Error(diff)
	}
	s.wantCounts(0, 1) // a small repository came whole at first sight

	s.fsck()
	if got := s.git("", "diff", "--name-status", base, "stagecoach/default/prod/x"); got != "M\tenvs/prod/kustomization.yaml" {
		t.Errorf("the server shows %q", got)
	}
	if got := s.git("", "log", "-1", "--format=%an %ae %at %cn %ct%n%B", c.SHA); !strings.HasPrefix(got,
		"stagecoach[bot] 1+stagecoach[bot]@users.noreply.github.com 1772600767 stagecoach[bot] 1772600767\nPromote web to prod\n\nStagecoach-Promotion: prod.") {
		t.Errorf("the commit is %q", got)
	}
}

func TestWarmFetchAsksOnce(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	dir := t.TempDir()
	e := engine(t, dir)
	must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))

	for i, restart := range []bool{false, true} {
		if restart {
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			e = engine(t, dir)
		}
		next := s.commit("main", file{path: "envs/prod/kustomization.yaml", content: "images:\n- name: web\n  newTag: 1." + string('5'+rune(i)) + "\n"})
		s.Reset()
		ws := must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(next), nil))
		for _, name := range []string{"envs/prod/kustomization.yaml", "envs/dev/kustomization.yaml", "README.md"} {
			if got := must[[]byte](t)(ws.ReadFile(t.Context(), name)); string(got) != s.show(next, name)+"\n" {
				t.Errorf("restart %t: %s is %q", restart, name, got)
			}
		}
		must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(next), nil))
		s.wantCounts(1, 0)
	}
}
