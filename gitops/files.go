package gitops

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// File is a file of a commit. A link's content is the path that it points to.
type File struct {
	Mode    uint32 // git's: 0100644, 0100755, 0120000
	Content []byte
}

// ReadFiles reads files of a commit, which is fetched if it is not here. A path
// that ends in a slash means the files of that folder, not those below its
// folders. What does not exist is left out of the answer.
func (r *Repository) ReadFiles(ctx context.Context, commit string, paths ...string) (map[string]File, error) {
	if err := r.Fetch(ctx, []string{commit}); err != nil {
		return nil, err
	}
	h, _ := parseHash(commit)
	s, err := r.snapshot(ctx, h)
	if err != nil {
		return nil, err
	}
	names, err := s.expand(ctx, paths)
	if err != nil {
		return nil, err
	}
	if err := s.prefetch(ctx, names); err != nil {
		return nil, err
	}
	files := map[string]File{}
	for _, name := range names {
		if err := s.readInto(ctx, files, name); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	return files, nil
}

// readInto adds a file, if it is there and one.
func (s snapshot) readInto(ctx context.Context, files map[string]File, name string) error {
	e, ok, err := s.find(ctx, name)
	if err != nil || !ok || e.isDir() || e.mode == modeModule {
		return err
	}
	data, err := s.content(ctx, e)
	if err == nil {
		files[name] = File{Mode: e.mode, Content: bytes.Clone(data)}
	}
	return err
}

// expand turns folders into the files that they hold.
func (s snapshot) expand(ctx context.Context, paths []string) ([]string, error) {
	var names, dirs []string
	for _, p := range paths {
		clean, err := cleanPath(strings.TrimSuffix(p, "/"))
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(p, "/") {
			dirs = append(dirs, clean)
		} else {
			names = append(names, clean)
		}
	}
	for _, dir := range dirs {
		inside, err := s.filesIn(ctx, dir)
		if err != nil {
			return nil, err
		}
		names = append(names, inside...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// filesIn lists the files right in a folder; none when there is no folder.
func (s snapshot) filesIn(ctx context.Context, dir string) ([]string, error) {
	e, ok, err := s.find(ctx, dir)
	if err != nil || !ok || !e.isDir() {
		return nil, err
	}
	t, err := s.tree(ctx, e.hash)
	if err != nil || t == nil {
		return nil, err
	}
	var names []string
	for _, child := range t.entries {
		if !child.isDir() {
			names = append(names, path.Join(dir, child.name))
		}
	}
	return names, nil
}

// cleanPath checks a path of a workspace: relative, and nowhere out of it.
func cleanPath(p string) (string, error) {
	clean := path.Clean(p)
	switch {
	case p == "":
		return ".", nil
	case strings.HasPrefix(p, "/"):
		return "", promotion.Terminal(fmt.Errorf("path %q is absolute: write it relative to the repository", p))
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "", promotion.Terminal(fmt.Errorf("path %q leads out of the repository", p))
	case strings.ContainsRune(p, 0):
		return "", promotion.Terminal(fmt.Errorf("path %q holds a zero byte", p))
	}
	return clean, nil
}
