package steptest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// File is what stands at a path of a Workspace.
type File struct {
	Content string // of a link: its target
	Mode    uint32 // git's
}

// Workspace is a step.Workspace over a map. The zero value is an empty tree.
type Workspace struct {
	Files  map[string]File     // path to file; folders are those above a file, and Empty
	Empty  map[string]struct{} // folders that hold nothing
	Fail   map[string]error    // path to the error that every call on it gets
	Mount  []string            // where commits are mounted, beside the root
	Writes []string            // paths given to WriteFile and Remove, in order
}

var _ step.Workspace = (*Workspace)(nil)

// New makes a tree of ordinary files.
func New(files map[string]string) *Workspace {
	w := &Workspace{Files: map[string]File{}}
	for p, content := range files {
		w.Files[p] = File{content, step.ModeFile}
	}
	return w
}

// Mounts are the root and those of Mount.
func (w *Workspace) Mounts() []promotion.Mount {
	out := []promotion.Mount{{Path: "."}}
	for _, p := range w.Mount {
		out = append(out, promotion.Mount{Path: p})
	}
	return out
}

// Contents returns all files as New takes them; a link is "-> target".
func (w *Workspace) Contents() map[string]string {
	out := make(map[string]string, len(w.Files))
	for p, f := range w.Files {
		out[p] = f.Content
		if f.Mode == step.ModeLink {
			out[p] = "-> " + f.Content
		}
	}
	return out
}

// ReadFile implements step.Workspace.
func (w *Workspace) ReadFile(ctx context.Context, p string) ([]byte, error) {
	entry, err := w.Stat(ctx, p)
	if err != nil {
		return nil, err
	}
	if entry.Mode == step.ModeFolder || entry.Mode == step.ModeSubmodule {
		return nil, fmt.Errorf("%s is no file", p)
	}
	return []byte(w.Files[p].Content), nil
}

// Stat implements step.Workspace.
func (w *Workspace) Stat(ctx context.Context, p string) (step.Entry, error) {
	if err := w.usable(ctx, p); err != nil {
		return step.Entry{}, err
	}
	return w.stat(p)
}

func (w *Workspace) stat(p string) (step.Entry, error) {
	if f, ok := w.Files[p]; ok {
		return step.Entry{Name: path.Base(p), Mode: f.Mode, Size: int64(len(f.Content))}, nil
	}
	if p == "." || w.isFolder(p) {
		return step.Entry{Name: path.Base(p), Mode: step.ModeFolder}, nil
	}
	return step.Entry{}, &fs.PathError{Op: "stat", Path: p, Err: fs.ErrNotExist}
}

// ReadDir implements step.Workspace.
func (w *Workspace) ReadDir(ctx context.Context, p string) ([]step.Entry, error) {
	entry, err := w.Stat(ctx, p)
	if err != nil {
		return nil, err
	}
	if entry.Mode != step.ModeFolder {
		return nil, fmt.Errorf("%s is no folder", p)
	}
	names := map[string]struct{}{}
	for _, at := range w.paths() {
		if rest, ok := below(at, p); ok {
			name, _, _ := strings.Cut(rest, "/")
			names[name] = struct{}{}
		}
	}
	var entries []step.Entry
	for _, name := range slices.Sorted(maps.Keys(names)) {
		e, err := w.stat(path.Join(p, name))
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// WriteFile implements step.Workspace.
func (w *Workspace) WriteFile(ctx context.Context, p string, content []byte, mode uint32) error {
	w.Writes = append(w.Writes, p)
	entry, err := w.Stat(ctx, p)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && entry.Mode == step.ModeFolder:
		return fmt.Errorf("%s is a folder", p)
	case mode == 0 && err == nil:
		mode = entry.Mode
	case mode == 0:
		mode = step.ModeFile
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if _, ok := w.Files[dir]; ok {
			return fmt.Errorf("%s is no folder", dir)
		}
	}
	if w.Files == nil {
		w.Files = map[string]File{}
	}
	w.Files[p] = File{string(content), mode}
	return nil
}

// Remove implements step.Workspace.
func (w *Workspace) Remove(ctx context.Context, p string) error {
	w.Writes = append(w.Writes, p)
	if _, err := w.Stat(ctx, p); err != nil {
		return err
	}
	gone := func(at string) bool { _, ok := below(at, p); return ok || at == p }
	maps.DeleteFunc(w.Files, func(at string, _ File) bool { return gone(at) })
	maps.DeleteFunc(w.Empty, func(at string, _ struct{}) bool { return gone(at) })
	return nil
}

// usable refuses what a step must not ask for.
func (w *Workspace) usable(ctx context.Context, p string) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case p != path.Clean(p) || path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../"):
		return fmt.Errorf("%q is no clean path inside the workspace", p)
	}
	return w.Fail[p]
}

func (w *Workspace) isFolder(p string) bool {
	if _, ok := w.Empty[p]; ok {
		return true
	}
	for at := range w.Files {
		if _, ok := below(at, p); ok {
			return true
		}
	}
	for at := range w.Empty {
		if _, ok := below(at, p); ok {
			return true
		}
	}
	return false
}

func (w *Workspace) paths() []string {
	return slices.Concat(slices.Collect(maps.Keys(w.Files)), slices.Collect(maps.Keys(w.Empty)))
}

// below returns the rest of at when it is below the folder p.
func below(at, p string) (string, bool) {
	if p == "." {
		return at, true
	}
	if len(at) <= len(p) || at[len(p)] != '/' || at[:len(p)] != p {
		return "", false
	}
	return at[len(p)+1:], true
}
