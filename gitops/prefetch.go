package gitops

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// prefetch brings what lies on the paths, and their files, with one request for
// each level of folders that is missing and one for all files.
func (s snapshot) prefetch(ctx context.Context, paths []string) error {
	at := map[string]entry{".": {mode: modeDir, hash: s.root}}
	for depth := 0; ; depth++ {
		dirs := foldersAt(paths, depth, at)
		if len(dirs) == 0 {
			break
		}
		if err := s.repo.obtain(ctx, s.commit, dirs); err != nil {
			return err
		}
		if err := s.descend(ctx, paths, depth, at); err != nil {
			return err
		}
	}
	var files []plumbing.Hash
	for _, p := range paths {
		if e := at[p]; e.isFile() {
			files = append(files, e.hash)
		}
	}
	return s.repo.obtain(ctx, s.commit, files)
}

// foldersAt lists the folders that paths go through after depth parts.
func foldersAt(paths []string, depth int, at map[string]entry) []plumbing.Hash {
	var out []plumbing.Hash
	for _, p := range paths {
		if prefix, more := prefixOf(p, depth); more && at[prefix].isDir() {
			out = append(out, at[prefix].hash)
		}
	}
	return out
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
