package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// make makes commits as GitHub's API does: a tree from entries over a base tree, a
// commit with a date of its own, and a ref that moves forward only.
func (s *remote) make(_ context.Context, c promotion.APICommit) (string, error) {
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(s.Dir, "api-index")}
	in := func(stdin string, args ...string) string {
		s.t.Helper()
		out, err := gitopstest.GitEnv(index, s.Dir, stdin, args...)
		if err != nil {
			s.t.Error(err)
		}
		return out
	}
	if in("", "read-tree", "--empty"); c.BaseTree != "" {
		in("", "read-tree", c.BaseTree)
	}
	for _, f := range c.Files {
		if f.Deleted {
			in("0 "+strings.Repeat("0", 40)+"\t"+f.Path+"\n", "update-index", "--index-info")
			continue
		}
		blob := f.Blob
		if blob == "" {
			blob = in(string(f.Content), "hash-object", "-w", "--stdin")
		}
		in(fmt.Sprintf("%06o %s\t%s\n", f.Mode, blob, f.Path), "update-index", "--index-info")
	}
	if tree := in("", "write-tree"); tree != c.Tree {
		s.t.Errorf("the API makes the tree %s, a push %s", tree, c.Tree)
	}
	args := []string{"commit-tree", c.Tree, "-m", c.Message}
	if c.Parent != "" {
		args = append(args, "-p", c.Parent)
	}
	sha := in("", args...)
	if c.Loose {
		return sha, nil
	}
	if c.Old != "" && in("", "merge-base", c.Old, sha) != c.Old {
		return "", promotion.ErrStale // it goes forward only
	}
	old := c.Old
	if old == "" {
		old = strings.Repeat("0", 40)
	}
	if _, err := s.Git("", "update-ref", "refs/heads/"+c.Branch, sha, old); err != nil {
		return "", promotion.ErrStale
	}
	return sha, nil
}

func TestTheAPIMakesTheSameTree(t *testing.T) {
	s := newRemote(t)
	base := s.commit("main",
		file{path: "a.yaml", content: "a: 1\n"}, file{path: "dir/b", content: "b"}, file{path: "run.sh", content: "x"},
		file{path: "link", content: "a.yaml", mode: "120000"}, file{path: "gone/deep/c", content: "c"}, file{path: "becomes", content: "f"},
	)
	r := s.open(t)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	write(t, ws, "a.yaml", "a: 2\n")
	for name, f := range map[string]gitops.File{
		"run.sh": {Mode: 0o100755, Content: []byte("x")}, "link": {Mode: 0o120000, Content: []byte("dir/b")},
		"new/bin": {Content: []byte("\xff\x00\xfe")}, "empty": {Content: nil},
	} {
		if err := ws.WriteFile(t.Context(), name, f.Content, f.Mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"gone", "becomes", "dir"} {
		if err := ws.Remove(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	write(t, ws, "becomes/a/folder", "f")
	write(t, ws, "dir", "a file now")
	for _, branch := range []string{"main", "beside"} {
		req := push(branch, "")
		if req.Make = s.make; branch == "main" {
			req.Old = base
		}
		d := must[gitops.Delivered](t)(r.Deliver(t.Context(), ws, request(base), req))
		if d.Pushed.Commit != s.tip(branch) || d.Pushed.Commit == d.Commit.SHA {
			t.Errorf("%s: delivered %+v, the branch is at %s", branch, d.Pushed, s.tip(branch))
		}
		if got := s.git("", "rev-parse", branch+"^{tree}"); got != d.Commit.Tree {
			t.Errorf("%s: the tree is %s, want %s", branch, got, d.Commit.Tree)
		}
	}
	if s.Pushes() != 0 || s.Count("GET info/refs") != 0 {
		t.Errorf("%d pushes", s.Pushes())
	}
	s.fsck()
}

// TestTheAPIAndOthers has the branch move, answers get lost, and commits that the
// API cannot carry.
func TestTheAPIAndOthers(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	ws := edited(t, r, base, "a.yaml", "a: 1\n")
	theirs := s.commit("main", file{path: "b.yaml", content: "b: 1\n"})
	req := push("main", base)
	req.Make = func(ctx context.Context, c promotion.APICommit) (string, error) {
		sha, err := s.make(ctx, c)
		return "", errors.Join(err, map[bool]error{true: errors.New("cut"), false: nil}[sha != ""])
	}
	_, err := r.Deliver(t.Context(), ws, request(""), req)
	if err == nil || err.Error() != "cut" {
		t.Fatalf("error %v", err)
	}
	landed := s.tip("main")
	if got := s.git("", "rev-parse", "main^"); got != theirs {
		t.Errorf("it was put on %s, not on theirs", got)
	}
	s.commit("main", file{path: "c.yaml", content: "c: 1\n"})
	req.Look = true
	d := must[gitops.Delivered](t)(r.Deliver(t.Context(), ws, request(""), req))
	if !d.Pushed.Adopted || d.Pushed.Commit != landed {
		t.Errorf("delivered %+v, want %s adopted", d.Pushed, landed)
	}

	req = push("other", "")
	req.Make = func(context.Context, promotion.APICommit) (string, error) {
		return "", fmt.Errorf("%w: too large", promotion.ErrNotByAPI)
	}
	d = must[gitops.Delivered](t)(r.Deliver(t.Context(), ws, request(base), req))
	if s.tip("other") != d.Commit.SHA || d.Pushed.Commit != d.Commit.SHA || s.Pushes() != 1 {
		t.Errorf("delivered %+v with %d pushes", d.Pushed, s.Pushes())
	}
	s.fsck()
}
