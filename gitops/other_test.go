package gitops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// besides gives a repository, and another one that the same engine reads.
func besides(t *testing.T) (own, other *remote, r, from *gitops.Repository) {
	t.Helper()
	own, other = newRemote(t), newRemote(t)
	e := engine(t, t.TempDir())
	return own, other, own.at(e), e.Repository(8, other.URL, auth)
}

// many are files in one folder, each with a content of its own.
func many(dir string, n int) []file {
	out := make([]file, n)
	for i := range out {
		out[i] = file{path: fmt.Sprintf("%s/f%04d", dir, i), content: fmt.Sprintf("%s %d\n", dir, i)}
	}
	return out
}

// TestCopiesFromAnotherRepository copies a folder of a large repository into this one:
// its files come with one request, and what is pushed is whole.
func TestCopiesFromAnotherRepository(t *testing.T) {
	own, other, r, from := besides(t)
	base := sample(own)
	theirs := other.commit("main", append(append(many("base", 40), many("rest", 4100)...),
		file{path: "base/run.sh", content: "#!/bin/sh\n", mode: "100755"}, file{path: "base/link", content: "run.sh", mode: "120000"},
		file{path: "base/readme", content: "# GitOps\n"})...)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	mount := promotion.Mount{Path: "theirs", Commit: theirs, Branch: "main", RepoID: 8}
	if err := ws.MountFrom(t.Context(), from, mount); err != nil {
		t.Fatal(err)
	}
	must[[]byte](t)(ws.ReadFile(t.Context(), "README.md")) // base/readme has the same content
	must[gitops.Entry](t)(ws.Stat(t.Context(), "README.md"))
	other.Reset()
	run(t, ws, "copy", map[string]string{"inPath": "theirs/base", "outPath": "envs/base"})
	if got := other.Fetches(); got > 2 { // the folder, and its files
		t.Errorf("%d fetches", got)
	}
	c := must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(base)))
	if len(c.Changes) != 43 {
		t.Errorf("%d files changed", len(c.Changes))
	}

	// From the records of the step the same commit is made without the other repository.
	other.Reset()
	again := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), ws.Changes()))
	if err := again.Mount(t.Context(), promotion.Mount{Path: "theirs"}); err != nil {
		t.Fatal(err)
	}
	if same := must[gitops.Commit](t)(r.Commit(t.Context(), again, request(base))); same.SHA != c.SHA {
		t.Errorf("the commit is %s, and from the records %s", c.SHA, same.SHA)
	}
	other.wantCounts(0, 0)

	p := push("main", base)
	p.Commit = c
	must[gitops.Pushed](t)(r.Push(t.Context(), p))
	own.fsck()
	tree := func(s *remote, at string) string { return s.git("", "rev-parse", at) }
	if ours, wanted := tree(own, "main:envs/base"), tree(other, theirs+":base"); ours != wanted {
		t.Errorf("the folder is the tree %s, theirs is %s", ours, wanted)
	}
	if got := other.git("", "for-each-ref", "--format=%(refname) %(objectname)"); got != "refs/heads/main "+theirs {
		t.Errorf("the other repository has %q", got)
	}
}

// TestWhatAnotherRepositoryLends is what can be done with a checkout of another
// repository, and what not.
func TestWhatAnotherRepositoryLends(t *testing.T) {
	own, other, r, from := besides(t)
	base, theirs := sample(own), other.withHuge(40<<20)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	if err := ws.MountFrom(t.Context(), from, promotion.Mount{Path: "envs/dev", Commit: theirs}); err != nil {
		t.Fatal(err)
	}
	write(t, ws, "envs/dev/data/small.txt", "edited\n")
	if got := must[[]byte](t)(ws.ReadFile(t.Context(), "envs/dev/data/small.txt")); string(got) != "edited\n" {
		t.Errorf("it holds %q", got)
	}
	write(t, ws, "README.md", "# Changed\n")
	c := must[gitops.Commit](t)(r.Commit(t.Context(), ws, request(base)))
	if diff := cmp.Diff([]promotion.Change{{Path: "README.md", Status: "modified", Before: "# GitOps", After: "# Changed"}}, c.Changes); diff != "" {
		t.Error(diff)
	}
	req := request(base)
	req.Path = "envs/dev"
	if _, err := r.Commit(t.Context(), ws, req); !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "read only") {
		t.Errorf("a commit there: %v", err)
	}
	huge := must[gitops.Entry](t)(ws.Stat(t.Context(), "envs/dev/data/huge.bin"))
	if err := ws.Place(t.Context(), "huge.bin", huge.ID, huge.Mode); !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "huge.bin is 40 MiB large") {
		t.Errorf("a copy of a file that is too large to be read: %v", err)
	}
	if err := ws.Gather(t.Context(), "", "no hash", strings.Repeat("0", 40)); err != nil {
		t.Errorf("IDs that nobody told: %v", err)
	}
}
