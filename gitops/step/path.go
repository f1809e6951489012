package step

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// clean checks a path of a config.
func clean(p string) (string, error) {
	switch c := path.Clean(p); {
	case p == "":
		return "", terminalf("a path is empty; the root is written .")
	case strings.ContainsRune(p, 0):
		return "", terminalf("the path %q holds a zero byte", p)
	case path.IsAbs(c):
		return "", terminalf("the path %s is absolute; paths begin at the workspace's root: write %s", p, strings.TrimPrefix(c, "/"))
	case outside(c):
		return "", terminalf("the path %s leads out of the workspace", p)
	default:
		return c, nil
	}
}

func outside(clean string) bool { return clean == ".." || strings.HasPrefix(clean, "../") }

// maxLinks is how many links one path may lead through, as on Linux.
const maxLinks = 40

// resolve follows the links on the way to p and, with last, the one at p. The
// path that it returns leads through none. What does not exist is left as it is.
func resolve(ctx context.Context, ws Workspace, p string, last bool) (string, error) {
	done, rest := ".", strings.Split(p, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(done, rest[0])
		rest = rest[1:]
		if outside(next) {
			return "", terminalf("the path %s leads out of the workspace through a link", p)
		}
		entry, err := ws.Stat(ctx, next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			done = path.Join(append([]string{next}, rest...)...)
			if outside(done) {
				return "", terminalf("the path %s leads out of the workspace through a link", p)
			}
			return done, nil
		case err != nil:
			return "", fmt.Errorf("look at %s: %w", next, err)
		case entry.Mode != ModeLink || (len(rest) == 0 && !last):
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", terminalf("the path %s leads through more than %d links", p, maxLinks)
		}
		target, err := ws.ReadFile(ctx, next)
		if err != nil {
			return "", fmt.Errorf("read the link %s: %w", next, err)
		}
		if path.IsAbs(string(target)) {
			return "", terminalf("the path %s leads through the link %s to %s, out of the workspace", p, next, target)
		}
		rest = append(strings.Split(string(target), "/"), rest...)
	}
	return done, nil
}

// read reads the file that a config's path names, and returns where it really stands.
func read(ctx context.Context, ws Workspace, p string) (file string, content []byte, err error) {
	cleaned, err := clean(p)
	if err != nil {
		return "", nil, err
	}
	if file, err = resolve(ctx, ws, cleaned, true); err != nil {
		return "", nil, err
	}
	entry, err := ws.Stat(ctx, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, terminalf("there is no file %s%s", cleaned, neighbour(ctx, ws, file))
	case err != nil:
		return "", nil, fmt.Errorf("look at %s: %w", file, err)
	case entry.Mode == ModeFolder:
		return "", nil, terminalf("%s is a folder; a file is needed", cleaned)
	case entry.Mode == ModeSubmodule:
		return "", nil, terminalf("%s is a submodule; a file is needed", cleaned)
	}
	if content, err = ws.ReadFile(ctx, file); err != nil {
		return "", nil, fmt.Errorf("read %s: %w", file, err)
	}
	return file, content, nil
}

// neighbour names the entry of the same folder that a wrong path may have meant.
func neighbour(ctx context.Context, ws Workspace, p string) string {
	entries, err := ws.ReadDir(ctx, path.Dir(p))
	if err != nil {
		return ""
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	if near := closest(path.Base(p), names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", path.Join(path.Dir(p), near))
	}
	return ""
}

// vacant checks that a file can be written to p: no folder stands there, and
// nothing but folders above it. done is what is to be done to the file.
func vacant(ctx context.Context, ws Workspace, p, done string) error {
	for at, leaf := p, true; at != "."; at, leaf = path.Dir(at), false {
		entry, err := ws.Stat(ctx, at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("look at %s: %w", at, err)
		case leaf && (entry.Mode == ModeFolder || entry.Mode == ModeSubmodule):
			return terminalf("%s is a folder, and a file is to be %s there: name the file in the path, or move the folder", at, done)
		case !leaf && entry.Mode != ModeFolder:
			return terminalf("%s is not a folder, and %s is to be %s below it: move it, or choose another path", at, p, done)
		}
	}
	if p == "." {
		return terminalf("a file cannot be %s over the root: name the file in the path", done)
	}
	return nil
}
