package gitops

import (
	"bytes"
	"context"
	"fmt"
	"path"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// ReadFile reads a file, or where a link points to, as git stores it. Nothing
// there: fs.ErrNotExist. A folder or a submodule is an error.
func (w *Workspace) ReadFile(ctx context.Context, name string) ([]byte, error) {
	_, f, err := w.lookAt(ctx, name)
	if err != nil {
		return nil, err
	}
	if !f.exists() {
		return nil, notExist("read", name)
	}
	if err := isFile(f.mode, name); err != nil {
		return nil, err
	}
	data, err := f.content(ctx)
	return bytes.Clone(data), err
}

// lookAt looks at a path and records that it did. Links on the way are followed,
// one at the end is not.
func (w *Workspace) lookAt(ctx context.Context, name string) (string, found, error) {
	clean, err := w.resolve(ctx, name)
	if err != nil {
		return "", found{}, err
	}
	f, err := w.look(ctx, clean)
	if err == nil {
		w.note(clean, f)
	}
	return clean, f, err
}

// Stat says what stands at a path. Nothing there: fs.ErrNotExist.
func (w *Workspace) Stat(ctx context.Context, name string) (Entry, error) {
	clean, f, err := w.lookAt(ctx, name)
	if err != nil {
		return Entry{}, err
	}
	if !f.exists() {
		return Entry{}, notExist("stat", name)
	}
	return w.tell(ctx, path.Base(clean), f), nil
}

// tell describes what was found, and remembers by which content it can be placed.
func (w *Workspace) tell(ctx context.Context, name string, f found) Entry {
	e := Entry{Name: name, Mode: f.mode, Size: f.size(ctx), ID: f.id()}
	if e.ID == "" {
		return e
	}
	n := f.node()
	if n.held && f.mount.repo.clone != w.repo.clone {
		if _, here := w.told[n.hash]; here {
			return e // what this repository holds itself need not be read
		}
		n.held, n.other = false, &f.mount.snapshot
	}
	w.told[n.hash] = n
	return e
}

// ReadDir lists a folder, sorted by name.
func (w *Workspace) ReadDir(ctx context.Context, name string) ([]Entry, error) {
	clean, f, err := w.lookAt(ctx, name)
	if err != nil {
		return nil, err
	}
	w.reads[clean+"/"] = true
	if !f.exists() {
		return nil, notExist("list", name)
	}
	if f.mode != modeDir {
		return nil, promotion.Terminal(fmt.Errorf("%s is no folder", name))
	}
	in, err := w.list(ctx, clean)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, 0, len(in))
	for _, child := range sortedKeys(in) {
		out = append(out, w.tell(ctx, child, in[child]))
	}
	return out, nil
}

func isFile(mode uint32, name string) error {
	switch mode {
	case modeDir:
		return promotion.Terminal(fmt.Errorf("%s is a folder, not a file", name))
	case modeModule:
		return promotion.Terminal(fmt.Errorf("%s is a submodule, whose files are in another repository", name))
	}
	return nil
}
