package gitops_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// stepTree shows a workspace to the editing steps.
type stepTree struct{ *gitops.Workspace }

func (s stepTree) Stat(ctx context.Context, path string) (step.Entry, error) {
	e, err := s.Workspace.Stat(ctx, path)
	return step.Entry(e), err
}

func (s stepTree) ReadDir(ctx context.Context, path string) ([]step.Entry, error) {
	entries, err := s.Workspace.ReadDir(ctx, path)
	out := make([]step.Entry, len(entries))
	for i, e := range entries {
		out[i] = step.Entry(e)
	}
	return out, err
}

// run runs an editing step on a workspace.
func run(t *testing.T, ws *gitops.Workspace, uses string, config map[string]string) {
	t.Helper()
	raw := must[[]byte](t)(json.Marshal(config))
	done, err := step.Run(t.Context(), stepTree{ws}, step.Task{Uses: uses, Config: raw})
	if err != nil || done.Failed {
		t.Fatalf("%s: %+v, %v", uses, done, err)
	}
}

// withHuge adds a commit whose file data/huge.bin has a size in bytes.
func (s *remote) withHuge(size int64) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "huge")
	must[struct{}](s.t)(struct{}{}, os.WriteFile(path, []byte("begins"), 0o600))
	resize(s.t, path, size)
	blob := s.git("", "hash-object", "-w", path)
	base := s.commit("main", file{path: "data/small.txt", content: "small\n"}, file{path: "data/run.sh", content: "echo\n", mode: "100755"},
		file{path: "data/link", content: "small.txt", mode: "120000"}, file{path: "old/gone.txt", content: "gone\n"})
	s.git("commit refs/heads/main\ncommitter octocat <octocat@example.com> 1700000000 +0000\ndata 4\nhuge\nfrom "+base+"\nM 100755 "+blob+" data/huge.bin\n\n",
		"fast-import", "--quiet")
	return s.tip("main")
}

// TestHugeFilesAreCopied copies a folder with a file that is larger than any step
// may read, and makes another folder the same as it, on servers that can leave it
// out and on one that cannot.
func TestHugeFilesAreCopied(t *testing.T) {
	for name, c := range map[string]struct {
		options []string
		size    int64
	}{"filters": {nil, 100 << 20}, "neither": {[]string{"uploadpack.allowFilter=false"}, 40 << 20}} {
		t.Run(name, func(t *testing.T) {
			s := newRemote(t, c.options...)
			base := s.withHuge(c.size)
			r := s.open(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
			run(t, ws, "copy", map[string]string{"inPath": "data", "outPath": "copied"})
			run(t, ws, "sync", map[string]string{"inPath": "copied", "outPath": "old"})
			first := len(ws.Changes())
			run(t, ws, "sync", map[string]string{"inPath": "copied", "outPath": "old"}) // it is as it shall be
			again := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), ws.Changes()))
			d := must[gitops.Delivered](t)(r.Deliver(t.Context(), again, request(""), push("main", base)))
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; int64(n) > c.size/4 {
				t.Errorf("%d MiB were allocated", n>>20)
			}
			if first != 9 || len(ws.Changes()) != 9 {
				t.Errorf("%d files changed, then %d", first, len(ws.Changes()))
			}
			want := s.git("", "ls-tree", "-r", "main:data")
			for _, dir := range []string{"copied", "old"} {
				if diff := cmp.Diff(want, s.git("", "ls-tree", "-r", "main:"+dir)); diff != "" {
					t.Errorf("%s: %s", dir, diff)
				}
			}
			if d.Pushed.Commit != s.tip("main") {
				t.Errorf("delivered %+v", d.Pushed)
			}
			s.fsck()
		})
	}
}

// TestPlace moves contents about by their IDs, those of the commit and written ones.
func TestPlace(t *testing.T) {
	s := newRemote(t)
	base := odd(s)
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	id := func(name string) string { return must[gitops.Entry](t)(ws.Stat(t.Context(), name)).ID }
	place := func(name, id string, mode uint32) {
		t.Helper()
		if err := ws.Place(t.Context(), name, id, mode); err != nil {
			t.Fatal(err)
		}
	}
	// Two files change places, which is why it goes by content and not by path.
	script, text := id("a/run.sh"), id("a/file.yaml")
	place("a/run.sh", text, 0)
	place("a/file.yaml", script, 0)
	place("deep/link", id("a/link"), 0o120000)
	write(t, ws, "new.yaml", "new: 1\n")
	fresh := id("new.yaml")
	write(t, ws, "new.yaml", "new: 2\n")
	place("older.yaml", fresh, 0)
	again := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), ws.Changes()))
	for _, w := range []*gitops.Workspace{ws, again} {
		for name, want := range map[string]string{
			"a/run.sh": "a: 1\r\nb: 2\r\n", "a/file.yaml": "#!/bin/sh\n", "deep/link": "file.yaml", "new.yaml": "new: 2\n", "older.yaml": "new: 1\n",
		} {
			if got := must[[]byte](t)(w.ReadFile(t.Context(), name)); string(got) != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
			if e := must[gitops.Entry](t)(w.Stat(t.Context(), name)); e.Size != int64(len(want)) {
				t.Errorf("%s has the size %d", name, e.Size)
			}
		}
	}
	c := must[gitops.Commit](t)(r.Commit(t.Context(), again, request(base)))
	var told []string
	for _, ch := range c.Changes {
		told = append(told, ch.Status+" "+ch.Path)
	}
	if diff := cmp.Diff([]string{"modified a/file.yaml", "modified a/run.sh", "added deep/link", "added new.yaml", "added older.yaml"}, told); diff != "" {
		t.Error(diff)
	}
	want := s.commit("want",
		file{path: "a/run.sh", content: "a: 1\r\nb: 2\r\n", mode: "100755"}, file{path: "a/file.yaml", content: "#!/bin/sh\n"})
	p := push("main", base)
	p.Commit = c
	must[gitops.Pushed](t)(r.Push(t.Context(), p))
	if a, b := s.git("", "rev-parse", "main:a/run.sh", "main:a/file.yaml"), s.git("", "rev-parse", want+":a/run.sh", want+":a/file.yaml"); a != b {
		t.Errorf("blobs %q, want %q", a, b)
	}
	// What stands there already is no change, and nothing is placed that was not seen.
	place("a/run.sh", text, 0)
	if err := ws.Place(t.Context(), "x", strings.Repeat("1", 40), 0); !promotion.IsTerminal(err) {
		t.Errorf("an ID of nothing: %v", err)
	}
	if _, err := r.Workspace(t.Context(), root(base), []promotion.File{{Path: "x", Mode: 0o100644, Blob: "x", From: base}}); err == nil {
		t.Error("a record without a blob was taken")
	}
	s.fsck()
}

// TestPlacedFileIsReadAgain reads a file that an earlier step placed, from a clone
// that has lost it.
func TestPlacedFileIsReadAgain(t *testing.T) {
	for name, options := range map[string][]string{"filters": gitopstest.GitHubSettings, "neither": {"uploadpack.allowFilter=false"}} {
		t.Run(name, func(t *testing.T) {
			s := newRemote(t, options...)
			base := odd(s)
			files := []promotion.File{{Path: "copy.yaml", Mode: 0o100644, Blob: s.git("", "rev-parse", base+":a/file.yaml"), From: base}}
			other := s.commit("other", file{path: "x.yaml", content: "x: 1\n"})
			ws := must[*gitops.Workspace](t)(s.open(t).Workspace(t.Context(), root(other), files))
			if got := must[[]byte](t)(ws.ReadFile(t.Context(), "copy.yaml")); string(got) != "a: 1\r\nb: 2\r\n" {
				t.Errorf("it is %q", got)
			}
		})
	}
}

// TestPlacedFilesAndWhatOthersWrote makes a copy anew over what others did to the
// file meanwhile.
func TestPlacedFilesAndWhatOthersWrote(t *testing.T) {
	for name, c := range map[string]struct {
		theirs string
		over   bool
	}{"nothing": {"a: 1\n", false}, "a line of their own": {"a: 1\nb: 1\n", true}, "the same": {"a: 2\n", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRemote(t)
			base := s.commit("main", file{path: "from.yaml", content: "a: 2\n"}, file{path: "to.yaml", content: "a: 1\n"})
			r := s.open(t)
			copied := func(on string) gitops.Commit {
				ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(on), nil))
				run(t, ws, "copy", map[string]string{"inPath": "from.yaml", "outPath": "to.yaml"})
				return must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(on)))
			}
			req := push("first", "")
			req.Commit = copied(base)
			must[gitops.Pushed](t)(r.Push(t.Context(), req))
			now := s.commit("main", file{path: "to.yaml", content: c.theirs}, file{path: "other", content: "x"})
			got := must[[]string](t)(r.Overwrites(t.Context(), req.Commit.SHA, copied(now)))
			if (len(got) > 0) != c.over {
				t.Errorf("%v is overwritten", got)
			}
		})
	}
}
