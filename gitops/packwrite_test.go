package gitops

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
)

// TestPacksAreGits has git read packs of objects of all kinds, and of lengths at which
// the form of a pack changes.
func TestPacksAreGits(t *testing.T) {
	var objects []*object
	noise := noise()
	for _, n := range []int{0, 1, 15, 16, 17, 2047, 2048, 2049, 262143, 262144, 300_000} {
		objects = append(objects, newObject(plumbing.BlobObject, noise(n)))
	}
	tree := newObject(plumbing.TreeObject, encodeTree([]entry{{"f", modeFile, objects[1].hash}}))
	ident := Ident{"octocat", "octocat@example.com"}
	commit := encodeCommit(tree.hash, nil, ident, ident, time.Unix(1_700_000_000, 0), "change")
	tag := encodeTag(TagRequest{Name: "v1", Message: "one", Tagger: ident, When: time.Unix(1_700_000_000, 0)}, commit.hash)
	objects = append(objects, tree, commit, tag)
	for _, list := range [][]*object{objects, nil, objects[:1]} {
		var b bytes.Buffer
		if err := encodePack(&b, list); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "p.pack")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := gitopstest.Git(dir, "", "index-pack", "--strict", path); err != nil {
			t.Fatal(err)
		}
		out, err := gitopstest.Git(dir, "", "verify-pack", "-v", path)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			if want := fmt.Sprintf("%s %-6s %d ", o.hash, o.kind, len(o.data)); !strings.Contains(out, want) {
				t.Errorf("git does not show %q in\n%s", want, out)
			}
		}
	}
}
