package gitops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Workspace is the virtual file tree that steps edit: commits of its repository,
// and of others to read, mounted at paths, with what was written laid over them.
// Nothing of it is on disk. Paths are relative to its root and use slashes; one that leads out of
// it is a Terminal error. Links in it are followed on the way to a file or
// folder, inside the workspace alone; a link at the end of a path is itself what
// is read, written or removed. One goroutine at a time may use it.
type Workspace struct {
	repo   *Repository
	mounts []mount // the deepest path first
	over   overlay
	reads  map[string]bool
	told   map[plumbing.Hash]node // the content of files that Stat and ReadDir told of
}

type mount struct {
	promotion.Mount
	snapshot
}

// Entry is what Stat and ReadDir say of a file or folder.
type Entry struct {
	Name string // of the last part of the path
	Mode uint32 // git's: 040000 folder, 0100644, 0100755, 0120000 link, 0160000 submodule
	Size int64  // of files and links that are here; -1: not known before it is read
	ID   string // of a file's or link's content, for Place: what has the same ID holds the same bytes; else empty
}

// IsDir says whether it is a folder.
func (e Entry) IsDir() bool { return e.Mode == modeDir }

// Workspace opens a tree over mounts, with files that earlier steps wrote laid
// over it. The commits are fetched if they are not here; the tip that was last
// known of a mount's branch makes that small.
func (r *Repository) Workspace(ctx context.Context, mounts []promotion.Mount, files []promotion.File) (*Workspace, error) {
	w := &Workspace{repo: r, over: newOverlay(), reads: map[string]bool{}, told: map[plumbing.Hash]node{}}
	for _, m := range mounts {
		if err := w.Mount(ctx, m); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		name, err := cleanPath(f.Path)
		if err != nil {
			return nil, err
		}
		n, err := recorded(f)
		if err != nil {
			return nil, err
		}
		w.over.set(name, n)
	}
	w.Mark()
	return w, nil
}

// Mount puts a commit at m.Path, in place of what is mounted there. What was
// written stays. A mount without a commit is an empty folder: its branch does
// not exist yet.
func (w *Workspace) Mount(ctx context.Context, m promotion.Mount) error {
	return w.MountFrom(ctx, w.repo, m)
}

// MountFrom is Mount for a commit of another repository. What is written over it
// stays in the workspace: it can be committed nowhere. What is copied from it is
// read, and so bounded as all that is read; see Gather.
func (w *Workspace) MountFrom(ctx context.Context, other *Repository, m promotion.Mount) error {
	clean, err := cleanPath(m.Path)
	if err != nil {
		return err
	}
	m.Path = clean
	s := snapshot{repo: other}
	if m.Commit != "" {
		if err := other.fetch(ctx, m.Branch, []string{m.Commit}, nil); err != nil {
			return err
		}
		h, _ := parseHash(m.Commit)
		if s, err = other.snapshot(ctx, h); err != nil {
			return err
		}
	}
	w.mounts = slices.DeleteFunc(w.mounts, func(o mount) bool { return o.Path == m.Path })
	w.mounts = append(w.mounts, mount{m, s})
	slices.SortFunc(w.mounts, func(a, b mount) int {
		return cmp.Or(cmp.Compare(depthOf(b.Path), depthOf(a.Path)), cmp.Compare(a.Path, b.Path))
	})
	return nil
}

func depthOf(name string) int {
	if name == "." {
		return 0
	}
	return strings.Count(name, "/") + 1
}

// Mounts returns what is mounted, sorted by path.
func (w *Workspace) Mounts() []promotion.Mount {
	out := make([]promotion.Mount, len(w.mounts))
	for i, m := range w.mounts {
		out[i] = m.Mount
	}
	slices.SortFunc(out, func(a, b promotion.Mount) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// mountAt is the mount whose path is name.
func (w *Workspace) mountAt(name string) (mount, error) {
	for _, m := range w.mounts {
		if m.Path == name {
			return m, nil
		}
	}
	return mount{}, promotion.Terminal(fmt.Errorf("nothing is checked out at %q", name))
}

// mountOf is the mount that name lies in, and its path in there.
func (w *Workspace) mountOf(name string) (m mount, rel string, ok bool) {
	for _, m := range w.mounts {
		switch {
		case m.Path == name:
			return m, ".", true
		case m.Path == ".":
			return m, name, true
		case inside(m.Path, name):
			return m, strings.TrimPrefix(name, m.Path+"/"), true
		}
	}
	return mount{}, "", false
}

// Mark makes Changes start afresh from here.
func (w *Workspace) Mark() { clear(w.over.changed) }

// Changes lists the files written or deleted since the last Mark, or since the
// workspace was opened, sorted by path. Laid over the same mounts they give
// this workspace again.
func (w *Workspace) Changes() []promotion.File { return w.over.files() }

// Reads lists what was read of the commits, sorted: files, also those that were
// looked for and do not exist, and, with a slash at the end, folders that were
// listed.
func (w *Workspace) Reads() []string { return sortedKeys(w.reads) }

// NoteReads adds to Reads what an earlier workspace over the same mounts read.
func (w *Workspace) NoteReads(paths ...string) {
	for _, p := range paths {
		w.reads[p] = true
	}
}

// Prefetch brings files here with few requests, so that reading them needs
// none. Paths that do not exist do not matter.
func (w *Workspace) Prefetch(ctx context.Context, paths ...string) error {
	by := map[string][]string{}
	for _, p := range paths {
		clean, err := cleanPath(p)
		if err != nil {
			return err
		}
		if m, rel, ok := w.mountOf(clean); ok {
			by[m.Path] = append(by[m.Path], rel)
		}
	}
	for _, m := range w.mounts {
		if len(by[m.Path]) > 0 {
			if err := m.prefetch(ctx, by[m.Path]); err != nil {
				return err
			}
		}
	}
	return nil
}
