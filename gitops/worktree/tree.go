package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// Tree is the working tree of a clone with edits laid over it. It is a
// step.Workspace.
type Tree struct {
	repo   *git.Repository
	home   source  // the working tree, or the commit read in its place
	mounts []mount // the deepest path first
	edits  map[string]promotion.File
}

// mount is what stands at a path: the working tree or a commit.
type mount struct {
	path string
	source
}

// source is a place to read files from. Paths are relative to it.
type source interface {
	read(path string) ([]byte, error)
	stat(path string) (step.Entry, error)
	list(path string) ([]step.Entry, error)
	close() error
}

// Open opens the working tree of the clone at dir. With ref, a commit, branch or
// tag of the clone, that is read instead.
func Open(dir, ref string) (*Tree, error) {
	repo, err := git.PlainOpen(dir)
	if err != nil {
		return nil, fmt.Errorf("%s is no git clone: %w", dir, err)
	}
	t := &Tree{repo: repo, edits: map[string]promotion.File{}}
	if ref != "" {
		t.home, err = openCommit(repo, ref)
	} else {
		t.home, err = openDisk(dir)
	}
	if err != nil {
		return nil, err
	}
	t.mount(".", t.home)
	return t, nil
}

// Close gives the clone's files free.
func (t *Tree) Close() error {
	return t.home.close()
}

// Unmount leaves nothing mounted.
func (t *Tree) Unmount(context.Context) error {
	t.mounts = nil
	return nil
}

// MountHome puts the working tree at a path. What is edited there is what Changes,
// Diff and Write are about.
func (t *Tree) MountHome(_ context.Context, at string) error {
	t.mount(at, t.home)
	return nil
}

// DefaultBranch is the branch that the clone takes for its remote's default one,
// or without a remote the one checked out; "main" when neither is known.
func (t *Tree) DefaultBranch() string {
	if ref, err := t.repo.Reference(plumbing.NewRemoteHEADReferenceName("origin"), false); err == nil {
		if branch, ok := strings.CutPrefix(ref.Target().String(), "refs/remotes/origin/"); ok {
			return branch
		}
	}
	if ref, err := t.repo.Reference(plumbing.HEAD, false); err == nil && ref.Target().IsBranch() {
		return ref.Target().Short()
	}
	return "main"
}

// Remote is the address of the clone's remote origin; empty: it has none.
func (t *Tree) Remote() string {
	remote, err := t.repo.Remote(git.DefaultRemoteName)
	if err != nil || len(remote.Config().URLs) == 0 {
		return ""
	}
	return remote.Config().URLs[0]
}

// Mounts are the places where something is mounted, sorted by path.
func (t *Tree) Mounts() []promotion.Mount {
	out := make([]promotion.Mount, len(t.mounts))
	for i, m := range t.mounts {
		out[i].Path = m.path
	}
	slices.SortFunc(out, func(a, b promotion.Mount) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Resolve is the commit that a ref of the clone names.
func (t *Tree) Resolve(_ context.Context, ref string) (string, error) { return resolve(t.repo, ref) }

// MountCommit puts a commit of the clone at a path, in place of what stands there.
func (t *Tree) MountCommit(_ context.Context, at, ref string) error {
	src, err := openCommit(t.repo, ref)
	if err != nil {
		return err
	}
	t.mount(at, src)
	return nil
}

func (t *Tree) mount(at string, src source) {
	at = path.Clean(at)
	t.mounts = slices.DeleteFunc(t.mounts, func(m mount) bool { return m.path == at })
	t.mounts = append(t.mounts, mount{at, src})
	slices.SortFunc(t.mounts, func(a, b mount) int { return len(b.path) - len(a.path) })
}

// at finds what stands at a path, and the path in it.
func (t *Tree) at(name string) (mount, string, bool) {
	for _, m := range t.mounts {
		if m.path == "." {
			return m, name, true
		}
		if name == m.path {
			return m, ".", true
		}
		if rest, ok := strings.CutPrefix(name, m.path+"/"); ok {
			return m, rest, true
		}
	}
	return mount{}, "", false
}

// clean refuses paths that leave the tree, and what is git's own.
func clean(name string) (string, error) {
	c := path.Clean(name)
	if path.IsAbs(c) || c == ".." || strings.HasPrefix(c, "../") {
		return "", promotion.Terminal(fmt.Errorf("%s leads out of the repository", name))
	}
	if c == ".git" || strings.HasPrefix(c, ".git/") {
		return "", promotion.Terminal(fmt.Errorf("%s belongs to git", name))
	}
	return c, nil
}

// ReadFile implements step.Workspace.
func (t *Tree) ReadFile(_ context.Context, name string) ([]byte, error) {
	name, err := clean(name)
	if err != nil {
		return nil, err
	}
	if f, ok := t.edits[name]; ok {
		if f.Deleted {
			return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
		}
		return slices.Clone(f.Content), nil
	}
	m, inner, ok := t.at(name)
	if !ok || t.gone(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return m.read(inner)
}

// gone reports whether a folder above the path was removed or became a file.
func (t *Tree) gone(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if f, ok := t.edits[dir]; ok && (f.Deleted || f.Mode != 0) {
			return true
		}
	}
	return false
}

// Stat implements step.Workspace.
func (t *Tree) Stat(ctx context.Context, name string) (step.Entry, error) {
	name, err := clean(name)
	if err != nil {
		return step.Entry{}, err
	}
	if f, ok := t.edits[name]; ok && !f.Deleted {
		return step.Entry{Name: path.Base(name), Mode: f.Mode, Size: int64(len(f.Content))}, nil
	}
	if t.hasBelow(name) || name == "." {
		return step.Entry{Name: path.Base(name), Mode: step.ModeFolder}, nil
	}
	m, inner, ok := t.at(name)
	if _, deleted := t.edits[name]; !ok || deleted || t.gone(name) {
		return step.Entry{}, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	e, err := m.stat(inner)
	e.Name = path.Base(name)
	if err == nil && e.Mode == step.ModeFolder && t.emptied(ctx, name) {
		return step.Entry{}, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return e, err
}

// emptied reports whether every file of a folder was deleted: git keeps no empty
// folders.
func (t *Tree) emptied(ctx context.Context, dir string) bool {
	if !slices.ContainsFunc(slices.Collect(maps.Values(t.edits)), func(f promotion.File) bool {
		return f.Deleted && strings.HasPrefix(f.Path, dir+"/")
	}) {
		return false
	}
	entries, err := t.ReadDir(ctx, dir)
	return err == nil && len(entries) == 0
}

// hasBelow reports whether something was written or is mounted below a path.
func (t *Tree) hasBelow(dir string) bool {
	for p, f := range t.edits {
		if !f.Deleted && strings.HasPrefix(p, dir+"/") {
			return true
		}
	}
	return slices.ContainsFunc(t.mounts, func(m mount) bool { return m.path == dir && dir != "." || strings.HasPrefix(m.path, dir+"/") })
}

// ReadDir implements step.Workspace.
func (t *Tree) ReadDir(ctx context.Context, name string) ([]step.Entry, error) {
	name, err := clean(name)
	if err != nil {
		return nil, err
	}
	found, err := t.listed(name)
	if err != nil {
		return nil, err
	}
	for p, f := range t.edits {
		if rest, ok := below(name, p); ok && !f.Deleted {
			first, deeper, _ := strings.Cut(rest, "/")
			e := step.Entry{Name: first, Mode: f.Mode, Size: int64(len(f.Content))}
			if deeper != "" {
				e = step.Entry{Name: first, Mode: step.ModeFolder}
			}
			found[first] = e
		}
	}
	out := make([]step.Entry, 0, len(found))
	for _, n := range slices.Sorted(maps.Keys(found)) {
		if e := found[n]; e.Mode != step.ModeFolder || !t.emptied(ctx, path.Join(name, n)) {
			out = append(out, e)
		}
	}
	return out, nil
}

// listed is what the mounts hold in a folder, without what was deleted.
func (t *Tree) listed(name string) (map[string]step.Entry, error) {
	found := map[string]step.Entry{}
	if m, inner, ok := t.at(name); ok && !t.gone(name) {
		entries, err := m.list(inner)
		if err != nil && (!errors.Is(err, fs.ErrNotExist) || !t.hasBelow(name)) {
			return nil, err
		}
		for _, e := range entries {
			if f, edited := t.edits[path.Join(name, e.Name)]; !edited || !f.Deleted {
				found[e.Name] = e
			}
		}
	}
	for _, m := range t.mounts {
		if rest, ok := below(name, m.path); ok && m.path != "." {
			first, _, _ := strings.Cut(rest, "/")
			found[first] = step.Entry{Name: first, Mode: step.ModeFolder}
		}
	}
	if name == "." {
		delete(found, ".git")
	}
	return found, nil
}

func below(dir, p string) (string, bool) {
	if dir == "." {
		return p, true
	}
	return strings.CutPrefix(p, dir+"/")
}

// WriteFile implements step.Workspace.
func (t *Tree) WriteFile(ctx context.Context, name string, content []byte, mode uint32) error {
	name, err := clean(name)
	if err != nil {
		return err
	}
	if mode == 0 {
		mode = step.ModeFile
		if e, err := t.Stat(ctx, name); err == nil && e.Mode != step.ModeFolder {
			mode = e.Mode
		}
	}
	t.edits[name] = promotion.File{Path: name, Mode: mode, Content: slices.Clone(content)}
	return nil
}

// Remove implements step.Workspace.
func (t *Tree) Remove(ctx context.Context, name string) error {
	e, err := t.Stat(ctx, name)
	if err != nil {
		return err
	}
	name = path.Clean(name)
	if e.Mode != step.ModeFolder {
		t.edits[name] = promotion.File{Path: name, Deleted: true}
		return nil
	}
	entries, err := t.ReadDir(ctx, name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := t.Remove(ctx, path.Join(name, e.Name)); err != nil {
			return err
		}
	}
	return nil
}
