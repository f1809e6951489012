package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=octocat", "-c", "user.email=octocat@users.noreply.github.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// clone is a repository with a file, an executable and a link.
func clone(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	for name, content := range map[string]string{"a.txt": "one\ntwo\n", "dir/b.txt": "b\n", "dir/sub/c.txt": "c\n", "run.sh": "#!/bin/sh\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-q", "-m", "Begin")
	return dir
}

func open(t *testing.T, dir, ref string) *Tree {
	t.Helper()
	tree, err := Open(dir, ref)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree
}

func names(entries []step.Entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Name)
	}
	return strings.Join(out, " ")
}

func TestBothSourcesReadTheSame(t *testing.T) {
	dir := clone(t)
	for _, ref := range []string{"", "HEAD", "main"} {
		t.Run("ref="+ref, func(t *testing.T) {
			ctx, tree := t.Context(), open(t, dir, ref)
			entries, err := tree.ReadDir(ctx, ".")
			if err != nil || names(entries) != "a.txt dir link run.sh" {
				t.Errorf("%s %v", names(entries), err)
			}
			for name, mode := range map[string]uint32{"a.txt": step.ModeFile, "dir": step.ModeFolder, "link": step.ModeLink, "run.sh": step.ModeExecutable, ".": step.ModeFolder} {
				if e, err := tree.Stat(ctx, name); err != nil || e.Mode != mode {
					t.Errorf("%s: %o %v, want %o", name, e.Mode, err, mode)
				}
			}
			if b, err := tree.ReadFile(ctx, "link"); err != nil || string(b) != "a.txt" {
				t.Errorf("link: %q %v", b, err)
			}
			for _, missing := range []string{"nope", "dir/nope", "nope/nope"} {
				if _, err := tree.ReadFile(ctx, missing); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("read %s: %v", missing, err)
				}
				if _, err := tree.Stat(ctx, missing); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("stat %s: %v", missing, err)
				}
			}
			if _, err := tree.ReadFile(ctx, "dir"); err == nil {
				t.Error("a folder was read as a file")
			}
		})
	}
}

func TestPathsDoNotLeaveTheTree(t *testing.T) {
	dir := clone(t)
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	ctx, tree := t.Context(), open(t, dir, "")
	for _, name := range []string{"../x", "/etc/hostname", "dir/../../x", ".git/config"} {
		if _, err := tree.ReadFile(ctx, name); !promotion.IsTerminal(err) {
			t.Errorf("read %s: %v", name, err)
		}
		if err := tree.WriteFile(ctx, name, nil, 0); !promotion.IsTerminal(err) {
			t.Errorf("write %s: %v", name, err)
		}
	}
	if _, err := tree.ReadFile(ctx, "out/x"); err == nil {
		t.Error("a link led out of the tree")
	}
}

// edit makes one change of every kind.
func edit(t *testing.T, ctx context.Context, tree *Tree) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(tree.WriteFile(ctx, "a.txt", []byte("one\n2\n"), 0))
	must(tree.WriteFile(ctx, "run.sh", []byte("#!/bin/bash\n"), 0))
	must(tree.WriteFile(ctx, "new/d.txt", []byte("d\n"), 0))
	must(tree.WriteFile(ctx, "new/link", []byte("d.txt"), step.ModeLink))
	must(tree.WriteFile(ctx, "dir/b.txt", []byte("b\n"), 0)) // the same: no change
	must(tree.Remove(ctx, "dir/sub"))
	must(tree.Remove(ctx, "link"))
}

func TestEditsAreSeenAndListed(t *testing.T) {
	ctx, tree := t.Context(), open(t, clone(t), "")
	edit(t, ctx, tree)
	for dir, want := range map[string]string{".": "a.txt dir new run.sh", "dir": "b.txt", "new": "d.txt link"} {
		if entries, err := tree.ReadDir(ctx, dir); err != nil || names(entries) != want {
			t.Errorf("%s: %s %v, want %s", dir, names(entries), err, want)
		}
	}
	for _, gone := range []string{"dir/sub", "dir/sub/c.txt", "link"} {
		if _, err := tree.Stat(ctx, gone); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", gone, err)
		}
	}
	if e, _ := tree.Stat(ctx, "run.sh"); e.Mode != step.ModeExecutable {
		t.Errorf("run.sh has the mode %o", e.Mode)
	}
	changes, err := tree.Changes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, c.Status+" "+c.Path)
	}
	want := []string{"modified a.txt", "deleted dir/sub/c.txt", "deleted link", "added new/d.txt", "added new/link", "modified run.sh"}
	if !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
}

// git itself takes the diff, and what it makes of it is what Write makes.
func TestWriteAndTheDiffGiveTheSame(t *testing.T) {
	ctx := t.Context()
	written, patched := clone(t), clone(t)
	tree := open(t, written, "")
	edit(t, ctx, tree)
	changes, err := tree.Changes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	diff, err := Diff(ctx, changes)
	if err != nil {
		t.Fatal(err)
	}
	if runGit(t, written, "status", "--porcelain") != "" {
		t.Fatal("the working tree changed before Write")
	}
	if err := tree.Write(ctx); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.diff")
	if err := os.WriteFile(file, []byte(diff), 0o644); err != nil {
		t.Fatal(err)
	}
	runGit(t, patched, "apply", "--index", file)
	runGit(t, written, "add", "-A")
	if a, b := runGit(t, written, "write-tree"), runGit(t, patched, "write-tree"); a != b {
		t.Errorf("Write gives %s, git apply %s:\n%s", a, b, diff)
	}
}

func TestOnlyTheHomeIsWritten(t *testing.T) {
	ctx, dir := t.Context(), clone(t)
	tree := open(t, dir, "")
	if err := errors.Join(tree.Unmount(ctx), tree.MountHome(ctx, "out"), tree.MountCommit(ctx, "src", "HEAD")); err != nil {
		t.Fatal(err)
	}
	if entries, err := tree.ReadDir(ctx, "."); err != nil || names(entries) != "out src" {
		t.Errorf("%s %v", names(entries), err)
	}
	if err := tree.WriteFile(ctx, "src/a.txt", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	if err := tree.WriteFile(ctx, "out/a.txt", []byte("y"), 0); err != nil {
		t.Fatal(err)
	}
	changes, err := tree.Changes(ctx)
	if err != nil || len(changes) != 1 || changes[0].Path != "a.txt" {
		t.Errorf("changes %+v %v", changes, err)
	}
	if err := open(t, dir, "HEAD").Write(ctx); err == nil {
		t.Error("a commit was written to")
	}
}

func TestDefaultBranch(t *testing.T) {
	dir := clone(t)
	runGit(t, dir, "checkout", "-q", "-b", "work")
	if got := open(t, dir, "").DefaultBranch(); got != "work" {
		t.Errorf("without a remote %q, want the one checked out", got)
	}
	runGit(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	if got := open(t, dir, "").DefaultBranch(); got != "trunk" {
		t.Errorf("with a remote %q, want its default", got)
	}
	runGit(t, dir, "checkout", "-q", "--detach")
	runGit(t, dir, "symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
	if got := open(t, dir, "").DefaultBranch(); got != "main" {
		t.Errorf("detached and without a remote %q", got)
	}
}
