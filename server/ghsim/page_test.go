package ghsim_test

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestRefusedSaysWhatGitHubSays(t *testing.T) {
	w := newWorld(t)
	must(t, w.SetPermission(w.repo, "monalisa", "read"))
	_, err := w.As("monalisa").Merge(w.repo, 1, "merge")
	var refused *ghsim.Refused
	if !errors.As(err, &refused) || refused.Status != 403 || refused.Message() != "Must have admin rights to Repository." {
		t.Errorf("merging without write access: %v", err)
	}
	_, err = w.As("octocat").CreatePR(w.repo, "nowhere", "main", "t", "b")
	if !errors.As(err, &refused) || refused.Message() != "Validation Failed: head is invalid" {
		t.Errorf("a pull request without a branch: %v", err)
	}
}

func TestTreeAndHistory(t *testing.T) {
	w := newWorld(t)
	second, err := w.As("octocat").Commit(w.repo, "main", map[string]string{"envs/dev/ä b.txt": "x\n"}, "Add a file")
	must(t, err)
	root, err := w.Tree(w.repo, "main", "")
	must(t, err)
	want := []ghsim.TreeEntry{{Name: "README.md", Kind: "blob", Mode: "100644", Size: 9}, {Name: "envs", Kind: "tree", Mode: "040000"}}
	if diff := cmp.Diff(want, root); diff != "" {
		t.Error("root: " + diff)
	}
	dev, err := w.Tree(w.repo, second, "envs/dev")
	must(t, err)
	if len(dev) != 2 || dev[1].Name != "ä b.txt" {
		t.Errorf("envs/dev has %v", dev)
	}
	if _, err := w.Tree(w.repo, "main", "README.md"); err == nil {
		t.Error("a file was listed as a directory")
	}
	if sha, found := w.Resolve(w.repo, second[:7]); !found || sha != second {
		t.Errorf("%s resolves to %q", second[:7], sha)
	}
	for _, c := range []struct {
		below       string
		skip, limit int
		want        int
	}{{"", 0, 10, 2}, {"", 1, 10, 1}, {"", 0, 1, 1}, {"README.md", 0, 10, 1}, {"envs", 0, 10, 2}, {"*", 0, 10, 0}} {
		if got, err := w.History(w.repo, "main", c.below, c.skip, c.limit); err != nil || len(got) != c.want {
			t.Errorf("history of %q, %d after %d: %d commits, %v", c.below, c.limit, c.skip, len(got), err)
		}
	}
}

func TestDiff(t *testing.T) {
	w := newWorld(t)
	first := w.Branches(w.repo)["main"]
	dir := w.clone("x-access-token", w.token())
	must(t, os.Symlink("README.md", dir+"/link"))
	must(t, os.WriteFile(dir+"/bin", []byte("a\x00b"), 0o600))
	w.mustGit(dir, "add", ".")
	w.mustGit(dir, "commit", "-q", "-m", "link")
	linked := w.mustGit(dir, "rev-parse", "HEAD")
	must(t, os.Remove(dir+"/link"))
	must(t, os.WriteFile(dir+"/link", []byte("now a file\n"), 0o600))
	must(t, os.WriteFile(dir+"/README.md", []byte("# gitops\ndiff --git a/x b/x\n"), 0o600))
	w.mustGit(dir, "commit", "-q", "-a", "-m", "file")
	w.mustGit(dir, "push", "-q", "origin", "HEAD")
	head := w.mustGit(dir, "rev-parse", "HEAD")

	got, err := w.Diff(w.repo, linked, head)
	must(t, err)
	want := []ghsim.FileChange{
		{Path: "README.md", Status: "modified", Additions: 1, Patch: "@@ -1 +1,2 @@\n # gitops\n+diff --git a/x b/x"},
		{Path: "link", Status: "modified", Additions: 1, Deletions: 1,
			Patch: "@@ -1 +0,0 @@\n-README.md\n\\ No newline at end of file\n@@ -0,0 +1 @@\n+now a file"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(ghsim.FileChange{})); diff != "" {
		t.Error(diff)
	}
	if root, err := w.Diff(w.repo, "", first); err != nil || len(root) != 2 || root[0].Status != "added" {
		t.Errorf("the first commit: %v, %v", root, err)
	}
	if fork, commits, err := w.Between(w.repo, first, head); err != nil || fork != first || len(commits) != 2 || commits[1].SHA != head {
		t.Errorf("between: %s, %v, %v", fork, commits, err)
	}
}

func TestMergeable(t *testing.T) {
	w := newWorld(t)
	octocat := w.As("octocat")
	_, err := octocat.Commit(w.repo, "change", map[string]string{"README.md": "one\n"}, "One")
	must(t, err)
	n, err := octocat.CreatePR(w.repo, "change", "main", "t", "")
	must(t, err)
	if clean, err := w.Mergeable(w.repo, n); err != nil || !clean {
		t.Errorf("a fresh pull request: %v, %v", clean, err)
	}
	if from, to, found := w.Span(w.repo, n); !found || from != w.Branches(w.repo)["main"] || to != w.Branches(w.repo)["change"] {
		t.Errorf("span %s..%s, %v", from, to, found)
	}
	_, err = octocat.Commit(w.repo, "main", map[string]string{"README.md": "two\n"}, "Two")
	must(t, err)
	if clean, err := w.Mergeable(w.repo, n); err != nil || clean {
		t.Errorf("both changed the file: %v, %v", clean, err)
	}
}
