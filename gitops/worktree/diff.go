package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// Changed is one file that differs from what stood there.
type Changed struct {
	Path   string `json:"path"`
	Status string `json:"status"` // added, modified, deleted

	before, after *promotion.File
}

// Compare tells how a file differs from what stood there; nil is no file. changed
// is false where both are the same.
func Compare(path string, before, after *promotion.File) (c Changed, changed bool) {
	c = Changed{Path: path, Status: "modified", before: before, after: after}
	switch {
	case before == nil && after == nil:
		return c, false
	case after == nil:
		c.Status = "deleted"
	case before == nil:
		c.Status = "added"
	default:
		return c, before.Mode != after.Mode || !bytes.Equal(before.Content, after.Content)
	}
	return c, true
}

// Changes lists the files that differ, sorted by path. What was mounted beside
// the working tree is no part of it.
func (t *Tree) Changes(context.Context) ([]Changed, error) {
	var out []Changed
	for _, f := range t.edits {
		m, inner, ok := t.at(f.Path)
		if !ok || m.source != t.home {
			continue
		}
		before, err := original(m, inner)
		if err != nil {
			return nil, err
		}
		after := &f
		if f.Deleted {
			after = nil
		}
		if c, changed := Compare(inner, before, after); changed {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Changed) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}

// original is the file that an edit replaces; nil: there is none.
func original(m mount, inner string) (*promotion.File, error) {
	e, err := m.stat(inner)
	if errors.Is(err, fs.ErrNotExist) || err == nil && e.Mode == step.ModeFolder {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	content, err := m.read(inner)
	return &promotion.File{Path: inner, Mode: e.Mode, Content: content}, err
}

// Diff is the unified diff of changes, as git prints it.
func Diff(ctx context.Context, changes []Changed) (string, error) {
	store := memory.NewStorage()
	before, after := &folder{}, &folder{}
	for _, c := range changes {
		before.add(c.Path, c.before)
		after.add(c.Path, c.after)
	}
	from, err := before.write(store)
	if err != nil {
		return "", err
	}
	to, err := after.write(store)
	if err != nil {
		return "", err
	}
	diff, err := object.DiffTreeContext(ctx, from, to)
	if err != nil {
		return "", fmt.Errorf("compare: %w", err)
	}
	patch, err := diff.PatchContext(ctx)
	if err != nil {
		return "", fmt.Errorf("draw the diff: %w", err)
	}
	return patch.String(), nil
}

// folder builds a tree of the changed files alone.
type folder struct {
	files   map[string]*promotion.File
	folders map[string]*folder
}

func (f *folder) add(name string, file *promotion.File) {
	if file == nil {
		return
	}
	first, rest, deeper := strings.Cut(name, "/")
	if !deeper {
		if f.files == nil {
			f.files = map[string]*promotion.File{}
		}
		f.files[first] = file
		return
	}
	if f.folders == nil {
		f.folders = map[string]*folder{}
	}
	if f.folders[first] == nil {
		f.folders[first] = &folder{}
	}
	f.folders[first].add(rest, file)
}

func (f *folder) write(store *memory.Storage) (*object.Tree, error) {
	tree := &object.Tree{}
	for name, file := range f.files {
		blob := store.NewEncodedObject()
		blob.SetType(plumbing.BlobObject)
		w, err := blob.Writer()
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(file.Content); err != nil {
			return nil, err
		}
		hash, err := store.SetEncodedObject(blob)
		if err != nil {
			return nil, err
		}
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: name, Mode: filemode.FileMode(file.Mode), Hash: hash})
	}
	for name, sub := range f.folders {
		written, err := sub.write(store)
		if err != nil {
			return nil, err
		}
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: name, Mode: filemode.Dir, Hash: written.Hash})
	}
	slices.SortFunc(tree.Entries, func(a, b object.TreeEntry) int { return cmp.Compare(sortName(a), sortName(b)) })
	encoded := store.NewEncodedObject()
	if err := tree.Encode(encoded); err != nil {
		return nil, err
	}
	hash, err := store.SetEncodedObject(encoded)
	if err != nil {
		return nil, err
	}
	return object.GetTree(store, hash)
}

// sortName orders folders as git does: as if their names ended in a slash.
func sortName(e object.TreeEntry) string {
	if e.Mode == filemode.Dir {
		return e.Name + "/"
	}
	return e.Name
}

// Write applies the changes to the working tree. With a ref, which is no working
// tree, it is an error.
func (t *Tree) Write(ctx context.Context) error {
	d, ok := t.home.(disk)
	if !ok {
		return errors.New("there is no working tree to write to: leave out the ref")
	}
	changes, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := d.apply(c); err != nil {
			return fmt.Errorf("write %s: %w", c.Path, err)
		}
	}
	return nil
}

func (d disk) apply(c Changed) error {
	if c.after == nil {
		return d.root.Remove(c.Path)
	}
	if err := d.root.MkdirAll(path.Dir(c.Path), 0o755); err != nil {
		return err
	}
	if c.after.Mode == step.ModeLink {
		if c.before != nil {
			if err := d.root.Remove(c.Path); err != nil {
				return err
			}
		}
		return d.root.Symlink(string(c.after.Content), c.Path)
	}
	perm := os.FileMode(0o644)
	if c.after.Mode == step.ModeExecutable {
		perm = 0o755
	}
	if c.before != nil && c.before.Mode == step.ModeLink {
		if err := d.root.Remove(c.Path); err != nil {
			return err
		}
	}
	if err := d.root.WriteFile(c.Path, c.after.Content, perm); err != nil {
		return err
	}
	return d.root.Chmod(c.Path, perm)
}
