package gitops_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestRefs(t *testing.T) {
	s := newRemote(t)
	r := s.open(t)
	if refs := must[gitops.Refs](t)(r.Refs(t.Context())); len(refs.Heads)+len(refs.Tags) != 0 {
		t.Errorf("an empty repository has %v", refs)
	}
	base := sample(s)
	s.git("", "branch", "env/prod", base)
	s.git("", "tag", "v1", base)
	s.git("", "tag", "-a", "-m", "two", "v2", base)
	s.git("", "update-ref", "refs/pull/1/head", base)
	s.Reset()
	want := gitops.Refs{
		Default: "main",
		Heads:   map[string]string{"main": base, "env/prod": base},
		Tags:    map[string]string{"v1": base, "v2": base},
	}
	if diff := cmp.Diff(want, must[gitops.Refs](t)(r.Refs(t.Context()))); diff != "" {
		t.Error(diff)
	}
	s.wantCounts(0, 0)
}

// TestServers reads and promotes on servers that can less, and finds commits
// that are no branch's tip any more.
func TestServers(t *testing.T) {
	for _, options := range [][]string{
		{"uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true"},
		{"uploadpack.allowFilter=true", "uploadpack.allowReachableSHA1InWant=true"},
		{"uploadpack.allowFilter=true"},
		{"uploadpack.allowAnySHA1InWant=true"},
		{"uploadpack.allowFilter=false"},
	} {
		t.Run(strings.Join(options, " "), func(t *testing.T) {
			t.Parallel()
			s := newRemote(t, options...)
			first := sample(s)
			second := s.commit("main", file{path: "envs/dev/kustomization.yaml", content: "images: []\n"})
			r := s.open(t)
			for _, commit := range []string{second, first} {
				ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(commit), nil))
				for _, name := range []string{"envs/dev/kustomization.yaml", "README.md"} {
					if got := must[[]byte](t)(ws.ReadFile(t.Context(), name)); string(got) != s.show(commit, name)+"\n" {
						t.Errorf("%s is %q", name, got)
					}
				}
			}
			third := s.commit("main", file{path: "envs/dev/kustomization.yaml", content: "images: [{name: a}]\n"})
			s.Reset()
			ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(third), nil))
			for _, name := range []string{"envs/dev/kustomization.yaml", "envs/prod/kustomization.yaml"} {
				if got := must[[]byte](t)(ws.ReadFile(t.Context(), name)); string(got) != s.show(third, name)+"\n" {
					t.Errorf("%s is %q", name, got)
				}
			}
			s.wantCounts(1, 0)
			write(t, ws, "a.yaml", "a: 1\n")
			if d, err := r.Deliver(t.Context(), ws, request(""), push("main", third)); err != nil || s.tip("main") != d.Commit.SHA {
				t.Error(err)
			}
			if list := must[[]gitops.CommitInfo](t)(r.History(t.Context(), s.tip("main"), first, 10)); len(list) != 3 {
				t.Errorf("%d commits, want 3", len(list))
			}
		})
	}
}

// large makes a repository that is not fetched whole: 100 folders of 3 files.
func large(s *remote) string {
	var files []file
	for i := range 100 {
		for j := range 3 {
			files = append(files, file{
				path:    fmt.Sprintf("teams/t%02d/app/f%d.yaml", i, j),
				content: fmt.Sprintf("team: %d\nfile: %d\n%s", i, j, strings.Repeat("key: value that takes room\n", 20)),
			})
		}
	}
	return s.commit("main", files...)
}

func TestLargeRepositoryIsReadAsNeeded(t *testing.T) {
	s := newRemote(t)
	base := large(s)
	s.Reset()
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	const name = "teams/t07/app/f1.yaml"
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), name)); string(got) != s.show(base, name)+"\n" {
		t.Errorf("%s is %q", name, got)
	}
	whole := s.git("", "cat-file", "--batch-check=%(objectsize:disk)", "--batch-all-objects")
	if n := s.Fetches(); n > 6 { // the commit, then one for each part of the path
		t.Errorf("%d fetches", n)
	}
	if total := sum(whole); s.Bytes() > int64(total)/4 {
		t.Errorf("%d bytes came, of %d", s.Bytes(), total)
	}

	// Files of many folders come with one request a level.
	s.Reset()
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("teams/t%02d/app/f2.yaml", i+20))
	}
	files := must[map[string]gitops.File](t)(r.ReadFiles(t.Context(), base, names...))
	if len(files) != 20 || s.Fetches() != 3 {
		t.Errorf("%d files with %d fetches, want 20 with 3", len(files), s.Fetches())
	}

	// What changed comes with one request, whether it was read before or not.
	next := s.commit("main",
		file{path: name, content: s.show(base, name) + "\nmore: 1\n"},
		file{path: "teams/t99/app/f0.yaml", content: s.show(base, "teams/t99/app/f0.yaml") + "\nmore: 1\n"})
	s.Reset()
	ws = must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(next), nil))
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), name)); !strings.HasSuffix(string(got), "more: 1\n") {
		t.Errorf("%s is %q", name, got)
	}
	s.wantCounts(1, 0)
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), "teams/t99/app/f0.yaml")); !strings.HasSuffix(string(got), "more: 1\n") {
		t.Errorf("the other file is %q", got)
	}
}

func TestPrefetch(t *testing.T) {
	s := newRemote(t)
	base := large(s)
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), []promotion.Mount{{Path: "in", Commit: base}}, nil))
	names := []string{"in/teams/t01/app/f0.yaml", "in/teams/t02/app/f1.yaml", "in/teams/none/x", "in/teams/t03", "elsewhere", "in"}
	if err := ws.Prefetch(t.Context(), names...); err != nil {
		t.Fatal(err)
	}
	s.Reset()
	for _, name := range names[:2] {
		must[[]byte](t)(ws.ReadFile(t.Context(), name))
	}
	s.wantCounts(0, 0)
}

func sum(lines string) (n int) {
	for line := range strings.Lines(lines) {
		var size int
		_, _ = fmt.Sscan(line, &size)
		n += size
	}
	return n
}

// TestRewrittenRemote replaces all that the clone knows of.
func TestRewrittenRemote(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	s.git("", "update-ref", "-d", "refs/heads/main")
	s.git("", "reflog", "expire", "--expire=now", "--all")
	s.git("", "gc", "-q", "--prune=now")
	fresh := s.commit("main", file{path: "README.md", content: "# Begun anew\n"})
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(fresh), nil))
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), "README.md")); string(got) != "# Begun anew\n" {
		t.Errorf("README.md is %q", got)
	}
	old := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	write(t, old, "README.md", "# Mine\n")
	_, err := r.Deliver(t.Context(), old, request(""), push("main", base))
	wantIs(t, err, promotion.ErrStale)
}

// TestAdditionsLeaveLargeFilesOut has a push bring a large file beside the small one
// that is read.
func TestAdditionsLeaveLargeFilesOut(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	random := rand.NewChaCha8([32]byte{1})
	large := make([]byte, 3<<20)
	_, _ = random.Read(large) // it never fails
	next := s.commit("main", file{path: "large.bin", content: string(large)}, file{path: "README.md", content: "# More\n"})
	s.Reset()
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(next), nil))
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), "README.md")); string(got) != "# More\n" {
		t.Errorf("README.md is %q", got)
	}
	if s.wantCounts(1, 0); s.Bytes() > 100_000 {
		t.Errorf("%d bytes came", s.Bytes())
	}
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), "large.bin")); !bytes.Equal(got, large) {
		t.Errorf("the large file has %d bytes", len(got))
	}
}
