package gitops

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// overlay is what was written over the mounts: files by path, and files that
// were deleted. Folders exist by what they hold, as in git.
type overlay struct {
	nodes   map[string]node
	changed map[string]bool  // since the last mark
	dirs    map[string]tally // what is below each folder
}

type tally struct{ written, deleted int }

type node struct {
	deleted bool
	mode    uint32
	hash    plumbing.Hash // of the content
	data    []byte        // the content, unless it is held
	// held says that the content is a blob of the commit from, which nobody has
	// read: the repository has it, and so it need not be sent.
	held bool
	from plumbing.Hash
	// other is the commit of another repository that holds the content, which must
	// be read before it can be written here; nil: it is not so.
	other *snapshot
}

func written(mode uint32, data []byte) node {
	return node{mode: mode, data: data, hash: plumbing.ComputeHash(plumbing.BlobObject, data)}
}

// recorded is a file as an earlier step left it.
func recorded(f promotion.File) (node, error) {
	if f.Deleted {
		return node{deleted: true}, nil
	}
	if f.Blob == "" {
		return written(f.Mode, f.Content), nil
	}
	blob, ok := parseHash(f.Blob)
	from, of := parseHash(f.From)
	if !ok || !of {
		return node{}, fmt.Errorf("the record of %s names no blob: %q of %q", f.Path, f.Blob, f.From)
	}
	return node{mode: f.Mode, hash: blob, held: true, from: from}, nil
}

// file is what is recorded of the node.
func (n node) file(name string) promotion.File {
	switch {
	case n.deleted:
		return promotion.File{Path: name, Deleted: true}
	case n.held:
		return promotion.File{Path: name, Mode: n.mode, Blob: n.hash.String(), From: n.from.String()}
	}
	return promotion.File{Path: name, Mode: n.mode, Content: bytes.Clone(n.data)}
}

func newOverlay() overlay {
	return overlay{nodes: map[string]node{}, changed: map[string]bool{}, dirs: map[string]tally{}}
}

func (o *overlay) set(name string, n node) {
	if old, ok := o.nodes[name]; ok {
		o.count(name, old, -1)
	}
	o.nodes[name] = n
	o.changed[name] = true
	o.count(name, n, 1)
}

func (o *overlay) count(name string, n node, by int) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		t := o.dirs[dir]
		if n.deleted {
			t.deleted += by
		} else {
			t.written += by
		}
		o.dirs[dir] = t
		if dir == "." {
			return
		}
	}
}

// below says whether the folder dir holds written files, and deleted ones.
func (o *overlay) below(dir string) (written, deleted bool) {
	t := o.dirs[dir]
	return t.written > 0, t.deleted > 0
}

// inside says whether name lies below dir.
func inside(dir, name string) bool {
	return dir == "." && name != "." || strings.HasPrefix(name, dir+"/")
}

// files lists what changed since the last mark, sorted by path.
func (o *overlay) files() []promotion.File {
	var out []promotion.File
	for _, name := range sortedKeys(o.changed) {
		out = append(out, o.nodes[name].file(name))
	}
	return out
}
