package gitops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// WriteFile writes a file, or a link, content being where it points to, and
// makes the folders above it. mode 0 keeps that of what is there, or is 0100644;
// 0644 and 0755 are taken for git's. Writing what is there already changes
// nothing.
func (w *Workspace) WriteFile(ctx context.Context, name string, content []byte, mode uint32) error {
	return w.put(ctx, name, written(mode, bytes.Clone(content)))
}

func (w *Workspace) put(ctx context.Context, name string, n node) error {
	mode, err := fileMode(n.mode)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	clean, err := w.resolve(ctx, name)
	if err != nil {
		return err
	}
	f, err := w.writable(ctx, clean)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if mode == 0 {
		mode = cmp.Or(f.mode, modeFile)
	}
	if n.mode = mode; f.mode == mode {
		w.note(clean, f)
		if f.node().hash == n.hash {
			return nil // it is there already
		}
	}
	w.over.set(clean, n)
	return nil
}

func fileMode(mode uint32) (uint32, error) {
	switch mode {
	case 0, modeFile, modeExec, modeLink:
		return mode, nil
	case 0o644:
		return modeFile, nil
	case 0o755:
		return modeExec, nil
	}
	return 0, promotion.Terminal(fmt.Errorf("mode %o is none that git keeps: 0100644, 0100755 or 0120000", mode))
}

// writable checks that a file may stand at a clean path.
func (w *Workspace) writable(ctx context.Context, clean string) (found, error) {
	for part := range strings.SplitSeq(clean, "/") {
		if strings.EqualFold(part, ".git") {
			return found{}, promotion.Terminal(errors.New("git keeps its own files in .git; no file may be written there"))
		}
	}
	for n := 1; ; n++ {
		prefix, more := prefixOf(clean, n)
		f, err := w.look(ctx, prefix)
		if err != nil {
			return found{}, err
		}
		if !more {
			return f, isFile(f.mode, clean)
		}
		if f.exists() && f.mode != modeDir {
			return found{}, promotion.Terminal(fmt.Errorf("%s is a file, not a folder", prefix))
		}
	}
}

// Remove deletes a file, a link (not what it points to), or a folder with all
// that it holds. Nothing there: fs.ErrNotExist.
func (w *Workspace) Remove(ctx context.Context, name string) error {
	clean, f, err := w.lookAt(ctx, name)
	if err != nil {
		return err
	}
	if !f.exists() {
		return notExist("remove", name)
	}
	files, err := w.filesBelow(ctx, clean)
	if err != nil {
		return err
	}
	for _, file := range files {
		w.over.set(file, node{deleted: true})
	}
	return nil
}

// filesBelow lists the files at or below a path, those of mounts below it too.
func (w *Workspace) filesBelow(ctx context.Context, clean string) ([]string, error) {
	all := map[string]bool{}
	add := func(prefix string) func(string, entry) {
		return func(rel string, _ entry) {
			name := path.Join(prefix, rel)
			if m, _, _ := w.mountOf(name); m.Path == prefix && !w.over.nodes[name].deleted {
				all[name] = true
			}
		}
	}
	if m, rel, ok := w.mountOf(clean); ok {
		if err := m.walk(ctx, rel, add(m.Path)); err != nil {
			return nil, err
		}
	}
	for _, m := range w.mounts {
		if inside(clean, m.Path) {
			if err := m.walk(ctx, ".", add(m.Path)); err != nil {
				return nil, err
			}
		}
	}
	for name, n := range w.over.nodes {
		if !n.deleted && (name == clean || inside(clean, name)) {
			all[name] = true
		}
	}
	return sortedKeys(all), nil
}
