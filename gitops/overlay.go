package gitops

import (
	"bytes"
	"path"
	"strings"

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
	data    []byte
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
		n := o.nodes[name]
		if n.deleted {
			out = append(out, promotion.File{Path: name, Deleted: true})
			continue
		}
		out = append(out, promotion.File{Path: name, Mode: n.mode, Content: bytes.Clone(n.data)})
	}
	return out
}
