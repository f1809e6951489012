package worktree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// disk is the working tree. os.Root keeps every read inside of it.
type disk struct{ root *os.Root }

func openDisk(dir string) (disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return disk{}, fmt.Errorf("open the working tree: %w", err)
	}
	return disk{root}, nil
}

func (d disk) close() error { return d.root.Close() }

func (d disk) read(name string) ([]byte, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := d.root.Readlink(name)
		return []byte(target), err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder", name)
	}
	return d.root.ReadFile(name)
}

func (d disk) stat(name string) (step.Entry, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return step.Entry{}, err
	}
	return entryOf(info), nil
}

func entryOf(info fs.FileInfo) step.Entry {
	e := step.Entry{Name: info.Name(), Mode: step.ModeFile, Size: info.Size()}
	switch {
	case info.IsDir():
		e.Mode = step.ModeFolder
	case info.Mode()&fs.ModeSymlink != 0:
		e.Mode = step.ModeLink
	case info.Mode()&0o100 != 0:
		e.Mode = step.ModeExecutable
	}
	return e
}

func (d disk) list(name string) ([]step.Entry, error) {
	dir, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	infos, err := dir.Readdir(-1)
	if err != nil {
		return nil, err
	}
	out := make([]step.Entry, len(infos))
	for i, info := range infos {
		out[i] = entryOf(info)
	}
	return out, nil
}

// commit is the tree of a commit in the clone's own objects.
type commit struct{ tree *object.Tree }

func resolve(repo *git.Repository, ref string) (string, error) {
	hash, err := repo.ResolveRevision(plumbing.Revision(ref))
	if err != nil {
		return "", fmt.Errorf("the clone has no commit, branch or tag %q: %w", ref, err)
	}
	return hash.String(), nil
}

func openCommit(repo *git.Repository, ref string) (commit, error) {
	sha, err := resolve(repo, ref)
	if err != nil {
		return commit{}, err
	}
	c, err := repo.CommitObject(plumbing.NewHash(sha))
	if err != nil {
		return commit{}, fmt.Errorf("read the commit %s: %w", ref, err)
	}
	tree, err := c.Tree()
	if err != nil {
		return commit{}, fmt.Errorf("read the tree of %s: %w", ref, err)
	}
	return commit{tree}, nil
}

func (c commit) close() error { return nil }

func (c commit) read(name string) ([]byte, error) {
	f, err := c.tree.File(name)
	if err != nil {
		return nil, notThere("read", name, err)
	}
	r, err := f.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(r)
}

func (c commit) stat(name string) (step.Entry, error) {
	if name == "." {
		return step.Entry{Name: ".", Mode: step.ModeFolder}, nil
	}
	e, err := c.tree.FindEntry(name)
	if err != nil {
		return step.Entry{}, notThere("stat", name, err)
	}
	size, _ := c.tree.Size(name) // of folders and submodules there is none
	return step.Entry{Name: path.Base(name), Mode: uint32(e.Mode), Size: size}, nil
}

func (c commit) list(name string) ([]step.Entry, error) {
	tree := c.tree
	if name != "." {
		var err error
		if tree, err = c.tree.Tree(name); err != nil {
			return nil, notThere("list", name, err)
		}
	}
	out := make([]step.Entry, len(tree.Entries))
	for i, e := range tree.Entries {
		out[i] = step.Entry{Name: e.Name, Mode: uint32(e.Mode)}
		if e.Mode == filemode.Deprecated {
			out[i].Mode = step.ModeFile
		}
	}
	return out, nil
}

func notThere(op, name string, err error) error {
	if errors.Is(err, object.ErrFileNotFound) || errors.Is(err, object.ErrDirectoryNotFound) || errors.Is(err, object.ErrEntryNotFound) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return err
}
