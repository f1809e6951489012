package gitops

import (
	"context"
	"io/fs"
	"path"
	"strings"
)

// maxLinks bounds how many links one path may lead through, as Linux does.
const maxLinks = 40

// found is what stands at a path of the workspace.
type found struct {
	mode    uint32 // 0: nothing
	written *node  // when it was written
	base    entry  // else, when it stands in a commit
	mount   mount
}

func (f found) exists() bool { return f.mode != 0 }

// content reads a file, or where a link points to.
func (f found) content(ctx context.Context) ([]byte, error) {
	if f.written != nil && !f.written.held {
		return f.written.data, nil
	}
	return f.mount.content(ctx, f.base)
}

// node is what it takes to put the same content elsewhere.
func (f found) node() node {
	if f.written != nil {
		return *f.written
	}
	return node{hash: f.base.hash, held: true, from: f.mount.commit}
}

// id names the content of a file or link.
func (f found) id() string {
	if f.mode == modeDir || f.mode == modeModule {
		return ""
	}
	return f.node().hash.String()
}

func (f found) size(ctx context.Context) int64 {
	if f.written != nil && !f.written.held {
		return int64(len(f.written.data))
	}
	if f.mode == modeDir {
		return 0
	}
	if n, ok := f.mount.repo.length(ctx, f.base.hash); ok {
		return n
	}
	return -1
}

// look says what stands at a clean path, links not followed.
func (w *Workspace) look(ctx context.Context, name string) (found, error) {
	if n, ok := w.over.nodes[name]; ok && !n.deleted {
		return w.overlaid(name, n), nil
	} else if ok {
		if written, _ := w.over.below(name); written {
			return found{mode: modeDir}, nil
		}
		return found{}, nil
	}
	written, deleted := w.over.below(name)
	if name == "." || written || w.leadsToMount(name) {
		return found{mode: modeDir}, nil
	}
	m, rel, ok := w.mountOf(name)
	if !ok {
		return found{}, nil
	}
	e, ok, err := m.find(ctx, rel)
	if err != nil || !ok {
		return found{}, err
	}
	f := found{mode: e.mode, base: e, mount: m}
	if e.isDir() && deleted {
		left, err := w.list(ctx, name)
		if err != nil || len(left) == 0 {
			return found{}, err
		}
	}
	return f, nil
}

// overlaid is what was written at a path.
func (w *Workspace) overlaid(name string, n node) found {
	f := found{mode: n.mode, written: &n}
	if n.held {
		f.base = entry{name: path.Base(name), mode: n.mode, hash: n.hash}
		f.mount.snapshot = snapshot{repo: w.repo, commit: n.from}
	}
	return f
}

// leadsToMount says whether name is a mount or a folder above one.
func (w *Workspace) leadsToMount(name string) bool {
	for _, m := range w.mounts {
		if m.Path == name || inside(name, m.Path) {
			return true
		}
	}
	return false
}

// list returns the names in a folder.
func (w *Workspace) list(ctx context.Context, dir string) (map[string]found, error) {
	out := map[string]found{}
	if m, rel, ok := w.mountOf(dir); ok {
		e, ok, err := m.find(ctx, rel)
		if err != nil {
			return nil, err
		}
		if ok && e.isDir() {
			t, err := m.tree(ctx, e.hash)
			if err != nil {
				return nil, err
			}
			if err := w.listBase(ctx, dir, t, out); err != nil {
				return nil, err
			}
		}
	}
	for name, n := range w.over.nodes {
		if !n.deleted && inside(dir, name) {
			w.listOver(dir, name, n, out)
		}
	}
	for _, m := range w.mounts {
		if inside(dir, m.Path) {
			out[childOf(dir, m.Path)] = found{mode: modeDir}
		}
	}
	return out, nil
}

func (w *Workspace) listBase(ctx context.Context, dir string, t *tree, out map[string]found) error {
	if t == nil {
		return nil
	}
	for _, e := range t.entries {
		f, err := w.look(ctx, path.Join(dir, e.name))
		if err != nil {
			return err
		}
		if f.exists() {
			out[e.name] = f
		}
	}
	return nil
}

func (w *Workspace) listOver(dir, name string, n node, out map[string]found) {
	child := childOf(dir, name)
	if path.Join(dir, child) == name {
		out[child] = w.overlaid(name, n)
	} else {
		out[child] = found{mode: modeDir}
	}
}

// childOf is the part of name right below dir.
func childOf(dir, name string) string {
	if dir != "." {
		name = strings.TrimPrefix(name, dir+"/")
	}
	child, _, _ := strings.Cut(name, "/")
	return child
}

// note records that something in the commits was looked at.
func (w *Workspace) note(name string, f found) {
	if f.written == nil && f.mode != modeDir {
		w.reads[name] = true
	}
}

// notExist is the error for a path at which nothing stands.
func notExist(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }
