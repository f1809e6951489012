package gitops_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
)

// TestCloneIsGit opens the clone with git, and holds it against damage.
func TestCloneIsGit(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	dir := t.TempDir()
	clone := filepath.Join(dir, "7.git")
	e := engine(t, dir)
	must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
	next := s.commit("main", file{path: "a.yaml", content: "a: 1\n"})
	must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(next), nil))
	if out := must[string](t)(gitopstest.Git(clone, "", "fsck", "--full")); out != "" {
		t.Errorf("fsck says %q", out)
	}
	if got := must[string](t)(gitopstest.Git(clone, "", "rev-parse", "main")); got != next {
		t.Errorf("main is %s in the clone, want %s", got, next)
	}
	before := tree(t, clone)

	r := s.at(e)
	d, err := r.Deliver(t.Context(), edited(t, r, next, "b.yaml", "b: 1\n"), request(""), push("main", next))
	if err != nil || d.Pushed.Commit == "" {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, clone)); diff != "" {
		t.Errorf("the promotion wrote into the clone: %s", diff)
	}
}

// tree lists the files of a folder with their sizes.
func tree(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			out[path] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDamageIsHealed(t *testing.T) {
	damages := map[string]func(t *testing.T, path string){
		"pack truncated":  func(t *testing.T, path string) { resize(t, path+".pack", 40) },
		"pack emptied":    func(t *testing.T, path string) { resize(t, path+".pack", 0) },
		"pack removed":    func(t *testing.T, path string) { remove(t, path+".pack") },
		"index truncated": func(t *testing.T, path string) { resize(t, path+".idx", 100) },
		"index removed":   func(t *testing.T, path string) { remove(t, path+".idx") },
		"bytes flipped": func(t *testing.T, path string) {
			data := must[[]byte](t)(os.ReadFile(path + ".pack"))
			for i := 12; i < len(data); i += 7 {
				data[i] ^= 0x55
			}
			if err := os.Chmod(path+".pack", 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+".pack", data, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	}
	s := newRemote(t)
	base := s.commit("main", file{path: "README.md", content: "# GitOps\n"}, file{path: "envs/run.sh", content: "echo\n"})
	for name, damage := range damages {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, running %t", name, running), func(t *testing.T) {
				dir := t.TempDir()
				e := must[*gitops.Engine](t)(gitops.New(dir, gitops.Options{Memory: 1})) // nothing is kept in memory
				must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
				if !running {
					e.Close()
					e = engine(t, dir)
				}
				defer e.Close()
				packs := must[[]string](t)(filepath.Glob(filepath.Join(dir, "7.git/objects/pack/*.pack")))
				for _, p := range packs {
					damage(t, strings.TrimSuffix(p, ".pack"))
				}
				for range 2 {
					ws := must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
					if got := must[[]byte](t)(ws.ReadFile(t.Context(), "README.md")); string(got) != "# GitOps\n" {
						t.Errorf("README.md is %q", got)
					}
				}
				e.Close()
				e = engine(t, dir)
				ws := must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
				must[[]byte](t)(ws.ReadFile(t.Context(), "envs/run.sh"))
				if out := must[string](t)(gitopstest.Git(filepath.Join(dir, "7.git"), "", "fsck", "--full")); out != "" {
					t.Errorf("fsck says %q", out)
				}
			})
		}
	}
}

func resize(t *testing.T, path string, n int64) {
	t.Helper()
	if err := os.Truncate(path, n); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestOnePackOfSeveralIsLost removes what the clone began with, and leaves what was
// fetched as an addition to it, on servers that give single objects and on one that
// does not.
func TestOnePackOfSeveralIsLost(t *testing.T) {
	for name, options := range map[string][]string{"filters": nil, "neither": {"uploadpack.allowFilter=false"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRemote(t, options...)
			base := sample(s)
			dir := t.TempDir()
			e := engine(t, dir)
			must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
			first := must[[]string](t)(filepath.Glob(filepath.Join(dir, "7.git/objects/pack/*")))
			next := s.commit("main", file{path: "envs/dev/kustomization.yaml", content: "images: []\n"})
			must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(next), nil))
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			for _, path := range first {
				remove(t, path)
			}
			third := s.commit("main", file{path: "README.md", content: "# Third\n"})
			r := s.at(engine(t, dir))
			for _, commit := range []string{next, third} {
				ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(commit), nil))
				for _, file := range []string{"README.md", "envs/dev/kustomization.yaml", "envs/prod/run.sh"} {
					if got := must[[]byte](t)(ws.ReadFile(t.Context(), file)); string(got) != s.show(commit, file)+"\n" {
						t.Errorf("%s of %.7s is %q", file, commit, got)
					}
				}
			}
			if out := must[string](t)(gitopstest.Git(filepath.Join(dir, "7.git"), "", "fsck", "--full")); out != "" {
				t.Errorf("fsck says %q", out)
			}
		})
	}
}
