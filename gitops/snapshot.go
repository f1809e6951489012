package gitops

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// snapshot reads the files of one commit. The zero commit holds no files.
type snapshot struct {
	repo   *Repository
	commit plumbing.Hash
	root   plumbing.Hash
}

// snapshot opens a commit that Fetch brought here, or the empty one.
func (r *Repository) snapshot(ctx context.Context, commit plumbing.Hash) (snapshot, error) {
	s := snapshot{repo: r, commit: commit}
	if commit.IsZero() {
		return s, nil
	}
	o, err := r.object(ctx, commit, commit)
	if err != nil {
		return s, err
	}
	info, err := o.commit()
	if err != nil {
		return s, err
	}
	s.root, _ = parseHash(info.Tree)
	return s, nil
}

// tree reads a tree; zero is the empty one.
func (s snapshot) tree(ctx context.Context, h plumbing.Hash) (*tree, error) {
	if h.IsZero() {
		return nil, nil
	}
	o, err := s.repo.object(ctx, s.commit, h)
	if err != nil {
		return nil, err
	}
	return o.tree()
}

// find returns the entry at a clean path; ok is false when there is none. "."
// is the root.
func (s snapshot) find(ctx context.Context, name string) (e entry, ok bool, err error) {
	e = entry{name: ".", mode: modeDir, hash: s.root}
	if name == "." {
		return e, true, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if !e.isDir() {
			return entry{}, false, nil
		}
		t, err := s.tree(ctx, e.hash)
		if err != nil {
			return entry{}, false, err
		}
		if e, ok = t.find(part); !ok {
			return entry{}, false, nil
		}
	}
	return e, true, nil
}

// content reads a file or the target of a link.
func (s snapshot) content(ctx context.Context, e entry) ([]byte, error) {
	o, err := s.repo.object(ctx, s.commit, e.hash)
	if err != nil {
		return nil, err
	}
	if o.kind != plumbing.BlobObject {
		return nil, fmt.Errorf("object %s is a %s, not a file", e.hash, o.kind)
	}
	return o.data, nil
}

// prefetch brings what lies on the paths, and their files, with one request for
// each level of folders that is missing and one for all files.
func (s snapshot) prefetch(ctx context.Context, paths []string) error {
	at := map[string]entry{".": {mode: modeDir, hash: s.root}}
	for depth := 0; ; depth++ {
		var level []plumbing.Hash
		open := false
		for _, p := range paths {
			prefix, more := prefixOf(p, depth)
			e, ok := at[prefix]
			if !ok || (!e.isDir() && !e.isFile()) {
				continue
			}
			if more && e.isDir() {
				open = true
				level = append(level, e.hash)
			}
		}
		if !open {
			break
		}
		if err := s.repo.obtain(ctx, s.commit, level); err != nil {
			return err
		}
		if err := s.descend(ctx, paths, depth, at); err != nil {
			return err
		}
	}
	var files []plumbing.Hash
	for _, p := range paths {
		if e, ok := at[p]; ok && e.isFile() {
			files = append(files, e.hash)
		}
	}
	return s.repo.obtain(ctx, s.commit, files)
}

// descend looks up the next part of each path in the trees that are here now.
func (s snapshot) descend(ctx context.Context, paths []string, depth int, at map[string]entry) error {
	for _, p := range paths {
		prefix, more := prefixOf(p, depth)
		e, ok := at[prefix]
		if !ok || !more || !e.isDir() {
			continue
		}
		t, err := s.tree(ctx, e.hash)
		if err != nil {
			return err
		}
		next, _ := prefixOf(p, depth+1)
		if child, ok := t.find(path.Base(next)); ok {
			at[next] = child
		}
	}
	return nil
}

// prefixOf is the first n parts of a path, "." for none; more says that the
// path goes on.
func prefixOf(p string, n int) (prefix string, more bool) {
	parts := strings.Split(p, "/")
	if p == "." {
		return ".", false
	}
	if n == 0 {
		return ".", true
	}
	n = min(n, len(parts))
	return strings.Join(parts[:n], "/"), n < len(parts)
}

// walk calls visit for each file, link and submodule below dir, sorted by path;
// names are relative to the commit. Missing folders come with one request a
// level.
func (s snapshot) walk(ctx context.Context, dir string, visit func(name string, e entry)) error {
	e, ok, err := s.find(ctx, dir)
	if err != nil || !ok {
		return err
	}
	if !e.isDir() {
		visit(dir, e)
		return nil
	}
	if e.hash.IsZero() {
		return nil
	}
	found := map[string]entry{}
	for level := map[string]plumbing.Hash{dir: e.hash}; len(level) > 0; {
		if level, err = s.walkLevel(ctx, level, found); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(found) {
		visit(name, found[name])
	}
	return nil
}

func (s snapshot) walkLevel(ctx context.Context, level map[string]plumbing.Hash, found map[string]entry) (map[string]plumbing.Hash, error) {
	var hashes []plumbing.Hash
	for _, h := range level {
		hashes = append(hashes, h)
	}
	if err := s.repo.obtain(ctx, s.commit, hashes); err != nil {
		return nil, err
	}
	next := map[string]plumbing.Hash{}
	for dir, h := range level {
		t, err := s.tree(ctx, h)
		if err != nil {
			return nil, err
		}
		for _, e := range t.entries {
			if name := path.Join(dir, e.name); e.isDir() {
				next[name] = e.hash
			} else {
				found[name] = e
			}
		}
	}
	return next, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
