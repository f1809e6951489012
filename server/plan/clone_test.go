package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	git "github.com/go-git/go-git/v5"
	gitconfig "github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stagecoach-app/stagecoach/gitops/worktree"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/plan"
)

// clone makes a clone with a file; remote is its origin's address, if it is not empty.
func clone(t *testing.T, remote string) plan.Offline {
	t.Helper()
	dir := t.TempDir()
	repo, err := git.PlainInit(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if remote != "" {
		if _, err := repo.CreateRemote(&gitconfig.RemoteConfig{Name: "origin", URLs: []string{remote}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "values.yaml"), []byte("version: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := repo.Worktree()
	if err == nil {
		_, err = w.Add("values.yaml")
	}
	if err == nil {
		_, err = w.Commit("First", &git.CommitOptions{Author: &object.Signature{Name: "octocat", When: time.Unix(1, 0)}})
	}
	if err != nil {
		t.Fatal(err)
	}
	tree, err := worktree.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return plan.Offline{Tree: tree}
}

// planned runs steps, each USES CONFIG, and gives the status and message of each.
func planned(t *testing.T, tree plan.Tree, steps ...string) (said []string, diff string) {
	t.Helper()
	stage := &promotion.Stage{Name: "dev", Deliver: promotion.DeliverNone}
	for _, s := range steps {
		uses, config, _ := strings.Cut(s, " ")
		stage.Steps = append(stage.Steps, promotion.Step{Uses: uses, Config: []byte(config)})
	}
	p, err := plan.Run(t.Context(), plan.Request{
		Tree: tree, Repo: promotion.Repo{DefaultBranch: "master"}, Pipeline: &promotion.Pipeline{Name: "default", Stages: []promotion.Stage{*stage}},
		Stage: stage, Freight: &promotion.Freight{}, Now: time.Unix(2, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Steps {
		said = append(said, s.Status+": "+s.Message)
	}
	return said, p.Diff
}

// TestOtherRepositoriesAreNotReadOffline plans steps on a checkout of another repository:
// those that need it are not run, and the others are.
func TestOtherRepositoriesAreNotReadOffline(t *testing.T) {
	const update = `yaml-update {"path": "out/values.yaml", "updates": [{"key": "version", "value": "1"}]}`
	said, diff := planned(t, clone(t, "git@github.com:acme/gitops.git"),
		`git-clone {"checkout": [{"path": "out"}]}`,
		`git-clone {"repoURL": "https://github.com/acme/charts", "checkout": [{"path": "charts", "tag": "v1"}]}`,
		`copy {"inPath": "charts/web", "outPath": "out/web"}`,
		`kustomize-set-image {"path": "charts/web", "images": [{"image": "a", "tag": "b"}]}`,
		`file-write {"path": "charts/x", "contents": "x"}`,
		update,
		`git-clear {"path": "charts"}`,
	)
	for i, want := range []string{
		"succeeded: the branch master is the working tree",
		"not-run: https://github.com/acme/charts is another repository, and a plan of a clone is made offline",
		"not-run: it needs charts of https://github.com/acme/charts",
		"not-run: it needs charts of https://github.com/acme/charts",
		"not-run: it needs charts", "succeeded: ", "not-run: it needs charts",
	} {
		if !strings.HasPrefix(said[i], want) {
			t.Errorf("step %d is %q, want %q", i+1, said[i], want)
		}
	}
	if !strings.Contains(diff, "+version: \"1\"") && !strings.Contains(diff, "+version: 1") || strings.Contains(diff, "charts") {
		t.Errorf("the diff is\n%s", diff)
	}
}

// TestOwnRepositoryOffline tells the clone's own repository by its remote, however it
// is spelled.
func TestOwnRepositoryOffline(t *testing.T) {
	for _, c := range []struct {
		remote, repoURL string
		own             bool
	}{
		{"https://github.com/acme/gitops", "https://GitHub.com/Acme/GitOps.git", true},
		{"https://github.com/acme/gitops", "acme/gitops", true},
		{"https://github.com/acme/gitops", "https://example.com/acme/gitops", false},
		{"https://github.com/acme/gitops", "acme/charts", false},
		{"https://github.com/acme/gitops", "nowhere", false},
		{"/srv/git/gitops.git", "acme/gitops", true}, // it does not tell
		{"", "acme/gitops", true},
	} {
		if got := clone(t, c.remote).Own(c.repoURL); got != c.own {
			t.Errorf("%s in a clone of %q: own %v", c.repoURL, c.remote, got)
		}
	}
}
