package ghsim_test

import (
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-billy/v5/util"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// go-git, which speaks git's older protocol, clones, pushes and loses a race; one fetch is one request.
func TestGoGit(t *testing.T) {
	w := newWorld(t)
	auth := &http.BasicAuth{Username: "x-access-token", Password: w.token()}
	mark := w.Mark()
	files := memfs.New()
	r, err := git.Clone(memory.NewStorage(), files, &git.CloneOptions{URL: w.repo.CloneURL, Auth: auth})
	must(t, err)
	must(t, util.WriteFile(files, "envs/dev/kustomization.yaml", []byte("x: 1\n"), 0o600))
	tree, err := r.Worktree()
	must(t, err)
	_, err = tree.Add("envs/dev/kustomization.yaml")
	must(t, err)
	sha, err := tree.Commit("Edit", &git.CommitOptions{Author: &object.Signature{Name: "stagecoach[bot]", When: time.Now()}})
	must(t, err)
	push := func(spec config.RefSpec) error {
		return r.Push(&git.PushOptions{Auth: auth, RefSpecs: []config.RefSpec{spec}})
	}
	must(t, push("refs/heads/main:refs/heads/next"))
	if got, want := w.Counts(mark), (ghsim.Counts{Fetches: 1, Pushes: 1}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	theirs, err := w.As("octocat").Commit(w.repo, "main", map[string]string{"a": "a"}, "Meanwhile")
	must(t, err)
	if err := push("refs/heads/main:refs/heads/main"); err == nil {
		t.Error("a push on top of an old tip went through")
	}
	if got := w.Branches(w.repo); got["next"] != sha.String() || got["main"] != theirs {
		t.Errorf("%v", got)
	}
}
