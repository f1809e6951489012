package gitops_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// odd is a repository with everything that a tree can hold.
func odd(s *remote) string {
	return s.commit("main",
		file{path: "a/file.yaml", content: "a: 1\r\nb: 2\r\n"},
		file{path: "a/run.sh", content: "#!/bin/sh\n", mode: "100755"},
		file{path: "a/link", content: "file.yaml", mode: "120000"},
		file{path: "folder", content: "a", mode: "120000"},
		file{path: "loop", content: "loop/x", mode: "120000"},
		file{path: "out", content: "../outside", mode: "120000"},
		file{path: "abs", content: "/etc", mode: "120000"},
		file{path: "a.b/empty"},
		file{path: "vendor/lib", content: strings.Repeat("1", 40), mode: "160000"},
		file{path: "\"caf\\351.yaml\"", content: "latin-1 name\n"},
		file{path: "deep/er/est/x.yaml", content: "x: 1\n"},
	)
}

func TestRead(t *testing.T) {
	s := newRemote(t)
	base := odd(s)
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	cases := []struct {
		path, want string
		mode       uint32
		missing    bool
		terminal   bool
	}{
		{path: "a/file.yaml", want: "a: 1\r\nb: 2\r\n", mode: 0o100644},
		{path: "./a/../a/file.yaml", want: "a: 1\r\nb: 2\r\n", mode: 0o100644},
		{path: "a/run.sh", want: "#!/bin/sh\n", mode: 0o100755},
		{path: "a/link", want: "file.yaml", mode: 0o120000},
		{path: "folder/file.yaml", want: "a: 1\r\nb: 2\r\n", mode: 0o100644},
		{path: "folder", want: "a", mode: 0o120000},
		{path: "a.b/empty", mode: 0o100644},
		{path: "caf\xe9.yaml", want: "latin-1 name\n", mode: 0o100644},
		{path: "a", mode: 0o040000, terminal: true},
		{path: ".", mode: 0o040000, terminal: true},
		{path: "", mode: 0o040000, terminal: true},
		{path: "vendor/lib", mode: 0o160000, terminal: true},
		{path: "vendor/lib/x", missing: true},
		{path: "a/none", missing: true},
		{path: "a/file.yaml/x", missing: true},
		{path: "../x", terminal: true},
		{path: "/etc/passwd", terminal: true},
		{path: "a/../../x", terminal: true},
		{path: "out/x", terminal: true},
		{path: "abs/passwd", terminal: true},
		{path: "loop/x", terminal: true},
		{path: "a\x00b", terminal: true},
	}
	for _, c := range cases {
		got, err := ws.ReadFile(t.Context(), c.path)
		if errors.Is(err, fs.ErrNotExist) != c.missing || promotion.IsTerminal(err) != c.terminal || string(got) != c.want {
			t.Errorf("ReadFile(%q) = %q, %v", c.path, got, err)
		}
		e, err := ws.Stat(t.Context(), c.path)
		if e.Mode != c.mode || (err != nil) != (c.mode == 0) {
			t.Errorf("Stat(%q) = %+v, %v", c.path, e, err)
		}
		if c.want != "" && e.Size != int64(len(c.want)) {
			t.Errorf("Stat(%q) = %+v, want the size %d", c.path, e, len(c.want))
		}
	}
	want := []gitops.Entry{
		{Name: "a", Mode: 0o040000}, {Name: "a.b", Mode: 0o040000}, {Name: "abs", Mode: 0o120000, Size: 4},
		{Name: "caf\xe9.yaml", Mode: 0o100644, Size: 13}, {Name: "deep", Mode: 0o040000}, {Name: "folder", Mode: 0o120000, Size: 1},
		{Name: "loop", Mode: 0o120000, Size: 6}, {Name: "out", Mode: 0o120000, Size: 10}, {Name: "vendor", Mode: 0o040000},
	}
	in := must[[]gitops.Entry](t)(ws.ReadDir(t.Context(), "."))
	for i, e := range in {
		if isFile := e.Mode != 0o040000; isFile != (e.ID != "") {
			t.Errorf("%s has the ID %q", e.Name, e.ID)
		}
		in[i].ID = ""
	}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Error(diff)
	}
	if in := must[[]gitops.Entry](t)(ws.ReadDir(t.Context(), "deep")); len(in) != 1 || !in[0].IsDir() {
		t.Errorf("deep holds %v", in)
	}
	if _, err := ws.ReadDir(t.Context(), "a/file.yaml"); !promotion.IsTerminal(err) {
		t.Errorf("error %v", err)
	}
	if _, err := ws.ReadDir(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if len(ws.Changes()) != 0 {
		t.Errorf("reading changed %v", ws.Changes())
	}
}

// TestReadsAreCopies changes what was read: the next one reads what git holds.
func TestReadsAreCopies(t *testing.T) {
	s := newRemote(t)
	base := odd(s)
	ws := must[*gitops.Workspace](t)(s.open(t).Workspace(t.Context(), root(base), nil))
	content := []byte("new: 1\n")
	if err := ws.WriteFile(t.Context(), "new.yaml", content, 0); err != nil {
		t.Fatal(err)
	}
	content[0] = 'X'
	for _, name := range []string{"a/file.yaml", "new.yaml"} {
		first := must[[]byte](t)(ws.ReadFile(t.Context(), name))
		keep := bytes.Clone(first)
		first[0] = '!'
		if again := must[[]byte](t)(ws.ReadFile(t.Context(), name)); !bytes.Equal(again, keep) || again[0] == 'X' {
			t.Errorf("%s is %q", name, again)
		}
	}
}

// edit is one change; content nil removes.
type edit struct {
	path    string
	content *string
	mode    uint32
	fails   bool
}

func put(path, content string) edit { return edit{path: path, content: &content} }

func (e edit) apply(ctx context.Context, ws *gitops.Workspace) error {
	if e.content == nil {
		return ws.Remove(ctx, e.path)
	}
	return ws.WriteFile(ctx, e.path, []byte(*e.content), e.mode)
}

// TestEdits compares trees with those that git makes of the same files.
func TestEdits(t *testing.T) {
	script, link := "echo\n", "a/run.sh"
	cases := []struct {
		name  string
		edits []edit
		git   []file
	}{
		{"change", []edit{put("a/file.yaml", "a: 2\r\nb: 2\r\n")}, []file{{path: "a/file.yaml", content: "a: 2\r\nb: 2\r\n"}}},
		{"keep the executable bit", []edit{put("a/run.sh", "echo\n")}, []file{{path: "a/run.sh", content: "echo\n", mode: "100755"}}},
		{"set the executable bit", []edit{{path: "a/new.sh", content: &script, mode: 0o755}}, []file{{path: "a/new.sh", content: "echo\n", mode: "100755"}}},
		{"new link", []edit{{path: "ln", content: &link, mode: 0o120000}}, []file{{path: "ln", content: link, mode: "120000"}}},
		{"through a link to a folder", []edit{put("folder/file.yaml", "x")}, []file{{path: "a/file.yaml", content: "x"}}},
		{"new folders", []edit{put("n/e/w.yaml", "1"), put("n/e.x", "2"), put("n/e0/f", "3")}, []file{{path: "n/e/w.yaml", content: "1"}, {path: "n/e.x", content: "2"}, {path: "n/e0/f", content: "3"}}},
		{"remove", []edit{{path: "a/file.yaml"}}, []file{{path: "a/file.yaml", remove: true}}},
		{"remove a folder", []edit{{path: "a"}}, []file{{path: "a", remove: true}}},
		{"remove the last of a folder", []edit{{path: "deep/er/est/x.yaml"}}, []file{{path: "deep", remove: true}}},
		{"remove a link, not its target", []edit{{path: "folder"}}, []file{{path: "folder", remove: true}}},
		{"remove a submodule", []edit{{path: "vendor/lib"}}, []file{{path: "vendor/lib", remove: true}}},
		{"remove and write again", []edit{{path: "a"}, put("a/file.yaml", "y")}, []file{{path: "a", remove: true}, {path: "a/file.yaml", content: "y"}}},
		{"a folder becomes a file", []edit{{path: "a"}, put("a", "file")}, []file{{path: "a", remove: true}, {path: "a", content: "file"}}},
		{"a file becomes a folder", []edit{{path: "a/file.yaml"}, put("a/file.yaml/x", "1")}, []file{{path: "a/file.yaml", remove: true}, {path: "a/file.yaml/x", content: "1"}}},
		{"empty file", []edit{put("a.b/other", "")}, []file{{path: "a.b/other"}}},
		{"a name that is not UTF-8", []edit{put("caf\xe9.yaml", "1"), put("\xff/x", "2")}, []file{{path: "\"caf\\351.yaml\"", content: "1"}, {path: "\"\\377/x\"", content: "2"}}},
		{"remove all", []edit{{path: "."}}, []file{{path: "\"\"", remove: true}}},
		{"onto a folder", []edit{{path: "a", content: &script, fails: true}}, nil},
		{"below a file", []edit{{path: "a/file.yaml/x", content: &script, fails: true}}, nil},
		{"onto a submodule", []edit{{path: "vendor/lib", content: &script, fails: true}}, nil},
		{"below a submodule", []edit{{path: "vendor/lib/x", content: &script, fails: true}}, nil},
		{"out of the tree", []edit{{path: "../x", content: &script, fails: true}, {path: "/x", content: &script, fails: true}, {path: "out/x", content: &script, fails: true}}, nil},
		{"git's own files", []edit{{path: ".git/config", content: &script, fails: true}, {path: "a/.GIT/x", content: &script, fails: true}}, nil},
		{"a strange mode", []edit{{path: "x", content: &script, mode: 0o100600, fails: true}}, nil},
	}
	s := newRemote(t)
	base := odd(s)
	r := s.open(t)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
			for _, e := range c.edits {
				if err := e.apply(t.Context(), ws); promotion.IsTerminal(err) != e.fails || (err != nil) != e.fails {
					t.Fatalf("%s: %v", e.path, err)
				}
			}
			// What was recorded gives the same workspace again.
			again := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), ws.Changes()))
			branch := "want" + string(rune('a'+i))
			s.git("", "branch", branch, base)
			want := s.git("", "rev-parse", s.commit(branch, c.git...)+"^{tree}")
			for _, w := range []*gitops.Workspace{ws, again} {
				if got := must[gitops.Commit](t)(r.Commit(t.Context(), w, request(base))); got.Tree != want || got.Empty != (c.git == nil) {
					t.Errorf("tree %s, want %s", got.Tree, want)
				}
			}
		})
	}
	s.fsck()
}

func TestMarkAndChanges(t *testing.T) {
	s := newRemote(t)
	base := odd(s)
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), []promotion.File{
		{Path: "step1.yaml", Mode: 0o100644, Content: []byte("1\n")}, {Path: "a/run.sh", Deleted: true},
	}))
	if len(ws.Changes()) != 0 {
		t.Errorf("what was recorded counts as changed: %v", ws.Changes())
	}
	if _, err := ws.Stat(t.Context(), "a/run.sh"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was recorded as deleted: %v", err)
	}
	write(t, ws, "z.yaml", "z\n")
	write(t, ws, "a/file.yaml", "a: 1\r\nb: 2\r\n") // as it is
	write(t, ws, "b.yaml", "b\n")
	if err := ws.Remove(t.Context(), "deep"); err != nil {
		t.Fatal(err)
	}
	if _, err := ws.Stat(t.Context(), "deep/er"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed folder: %v", err)
	}
	if err := ws.Remove(t.Context(), "deep"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed twice: %v", err)
	}
	want := []promotion.File{
		{Path: "b.yaml", Mode: 0o100644, Content: []byte("b\n")},
		{Path: "deep/er/est/x.yaml", Deleted: true},
		{Path: "z.yaml", Mode: 0o100644, Content: []byte("z\n")},
	}
	if diff := cmp.Diff(want, ws.Changes()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a/file.yaml"}, ws.Reads()[:1]); diff != "" {
		t.Error(diff)
	}
	ws.Mark()
	if len(ws.Changes()) != 0 {
		t.Errorf("after a mark: %v", ws.Changes())
	}
	c := must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(base)))
	var paths []string
	for _, ch := range c.Changes {
		paths = append(paths, ch.Status+" "+ch.Path)
	}
	if diff := cmp.Diff([]string{"deleted a/run.sh", "added b.yaml", "deleted deep/er/est/x.yaml", "added step1.yaml", "added z.yaml"}, paths); diff != "" {
		t.Error(diff)
	}
}

func TestSeveralMounts(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	env := s.commit("env/prod", file{path: "web.yaml", content: "old\n"})
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), []promotion.Mount{
		{Path: "src", Commit: base}, {Path: "out/prod", Commit: env, Branch: "env/prod"}, {Path: "out/new"},
	}, nil))
	var names []string
	for _, dir := range []string{".", "out", "out/prod", "src/envs"} {
		for _, e := range must[[]gitops.Entry](t)(ws.ReadDir(t.Context(), dir)) {
			names = append(names, dir+"/"+e.Name)
		}
	}
	if diff := cmp.Diff([]string{"./out", "./src", "out/new", "out/prod", "out/prod/web.yaml", "src/envs/dev", "src/envs/prod"}, names); diff != "" {
		t.Error(diff)
	}
	text := must[[]byte](t)(ws.ReadFile(t.Context(), "src/envs/prod/kustomization.yaml"))
	write(t, ws, "out/prod/web.yaml", string(text))
	write(t, ws, "out/new/x.yaml", "x\n")
	write(t, ws, "src/touched.yaml", "not committed\n")
	req := request(env)
	req.Path = "out/prod"
	c := must[gitops.Commit](t)(r.Commit(t.Context(), ws, req))
	if diff := cmp.Diff([]promotion.Change{{Path: "web.yaml", Status: "modified"}}, c.Changes); diff != "" {
		t.Error(diff)
	}
	req.Path = "nowhere"
	if _, err := r.Commit(t.Context(), ws, req); !promotion.IsTerminal(err) {
		t.Errorf("error %v", err)
	}

	// A mount inside another hides what stood there, and is not committed with it.
	if err := ws.Mount(t.Context(), promotion.Mount{Path: "src/envs", Commit: env}); err != nil {
		t.Fatal(err)
	}
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), "src/envs/web.yaml")); string(got) != "old\n" {
		t.Errorf("the inner mount holds %q", got)
	}
	if _, err := ws.Stat(t.Context(), "src/envs/prod"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the outer mount shows through: %v", err)
	}
	write(t, ws, "src/envs/inner.yaml", "i\n")
	req = request(base)
	req.Path = "src"
	c = must[gitops.Commit](t)(r.Commit(t.Context(), ws, req))
	if diff := cmp.Diff([]promotion.Change{{Path: "touched.yaml", Status: "added"}}, c.Changes); diff != "" {
		t.Error(diff)
	}
	if got := len(ws.Mounts()); got != 4 {
		t.Errorf("%d mounts", got)
	}
}

func TestCommitIsDeterministic(t *testing.T) {
	s := newRemote(t)
	base := odd(s)
	var shas []string
	for range 2 {
		r := s.open(t)
		ws := edited(t, r, base, "a/file.yaml", "a: 3\r\nb: 2\r\n")
		write(t, ws, "b.yaml", "b\n")
		req := request(base)
		req.When = start.In(start.Location())
		req.Author = &gitops.Ident{Name: "Mona <Lisa>\n", Email: "mona lisa@example.com"}
		c := must[gitops.Commit](t)(r.Commit(t.Context(), ws, req))
		shas = append(shas, c.SHA)
		p := push("x"+c.SHA[:4], "")
		p.Commit = c
		must[gitops.Pushed](t)(r.Push(t.Context(), p))
	}
	if shas[0] != shas[1] {
		t.Errorf("two commits of the same: %v", shas)
	}
	if got := s.git("", "log", "-1", "--format=%an|%ae|%cn", shas[0]); got != "Mona Lisa|monalisa@example.com|stagecoach[bot]" {
		t.Errorf("made by %q", got)
	}
	s.fsck()
}
