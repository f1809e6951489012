package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// The bounds of one build, repetitions counted: a base that is used twice is read twice.
const (
	maxFile   = 8 << 20
	maxBuilt  = 1000 // kustomizations
	maxReads  = 20_000
	maxBytes  = 64 << 20
	maxValues = 1 << 20 // of YAML, aliases written out
)

// root is where the workspace stands in Kustomize's view, so that its paths are absolute.
const root = "/workspace"

// tree shows a workspace to Kustomize, to be read.
type tree struct {
	ctx            context.Context
	ws             step.Workspace
	kustomizations map[string]bool // where kustomization files really stand
	failed         error           // the first error that is not a missing file
	reads, bytes   int
	built          int // kustomizations that were read
	values         int
}

func newTree(ctx context.Context, ws step.Workspace) *tree {
	return &tree{ctx: ctx, ws: ws, kustomizations: map[string]bool{}}
}

func (t *tree) virtual(p string) string { return path.Join(root, p) }

// locate finds what stands at a path of Kustomize's.
func (t *tree) locate(p string) (string, step.Entry, error) {
	clean := path.Clean(p)
	rest, ok := strings.CutPrefix(clean+"/", root+"/")
	if !ok {
		return "", step.Entry{}, t.fail(step.Refuse("%s leads out of the workspace", p))
	}
	at, entry, err := step.Locate(t.ctx, t.ws, path.Clean("./"+rest))
	if err != nil && !promotion.IsTerminal(err) {
		return "", step.Entry{}, t.fail(err)
	}
	if err != nil {
		return "", step.Entry{}, &fs.PathError{Op: "open", Path: strings.TrimSuffix(rest, "/"), Err: err}
	}
	if slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(clean)) {
		t.kustomizations[at] = true
	}
	return at, entry, nil
}

// fail notes the first error that must not be taken for a missing file.
func (t *tree) fail(err error) error {
	if t.failed == nil {
		t.failed = err
	}
	return err
}

// CleanedAbs follows the links of a path.
func (t *tree) CleanedAbs(p string) (filesys.ConfirmedDir, string, error) {
	at, entry, err := t.locate(p)
	switch {
	case err != nil:
		return "", "", err
	case entry.Mode == step.ModeFolder:
		return filesys.ConfirmedDir(t.virtual(at)), "", nil
	}
	return filesys.ConfirmedDir(t.virtual(path.Dir(at))), path.Base(at), nil
}

// Exists reports whether something stands at a path.
func (t *tree) Exists(p string) bool { _, _, err := t.locate(p); return err == nil }

// IsDir reports whether a folder stands at a path.
func (t *tree) IsDir(p string) bool {
	_, entry, err := t.locate(p)
	return err == nil && entry.Mode == step.ModeFolder
}

// ReadDir lists the names in a folder.
func (t *tree) ReadDir(p string) ([]string, error) {
	at, _, err := t.locate(p)
	if err != nil {
		return nil, err
	}
	entries, err := t.ws.ReadDir(t.ctx, at)
	if err != nil {
		return nil, t.fail(fmt.Errorf("list %s: %w", at, err))
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names, nil
}

// ReadFile reads a file, and vets what Kustomize is about to follow.
func (t *tree) ReadFile(p string) ([]byte, error) {
	at, entry, err := t.locate(p)
	if err != nil {
		return nil, err
	}
	if entry.Mode == step.ModeFolder || entry.Mode == step.ModeSubmodule {
		return nil, fmt.Errorf("%s is a folder; a file is needed", at)
	}
	content, err := t.ws.ReadFile(t.ctx, at)
	if err != nil {
		return nil, t.fail(fmt.Errorf("read %s: %w", at, err))
	}
	if t.kustomizations[at] {
		t.built++
	}
	if err := t.spend(at, content); err != nil {
		return nil, t.fail(err)
	}
	if t.kustomizations[at] {
		if err := t.vet(at, content); err != nil {
			return nil, t.fail(err)
		}
	}
	return content, nil
}

// spend counts what was read.
func (t *tree) spend(at string, content []byte) error {
	t.reads++
	t.bytes += len(content)
	switch {
	case len(content) > maxFile:
		return step.Refuse("%s has %d bytes; files over %d are not read", at, len(content), maxFile)
	case t.built > maxBuilt:
		return step.Refuse("the build reads more than %d kustomizations, repetitions counted", maxBuilt)
	case t.reads > maxReads:
		return step.Refuse("the build reads more than %d files, repetitions counted", maxReads)
	case t.bytes > maxBytes:
		return step.Refuse("the build reads more than %d bytes, repetitions counted", maxBytes)
	}
	t.values += values(content, maxValues)
	if t.values > maxValues {
		return step.Refuse("the build reads more than %d values, aliases written out; the last file was %s", maxValues, at)
	}
	return nil
}

var errReadOnly = errors.New("a build writes no files")

func (t *tree) Create(string) (filesys.File, error)  { return nil, errReadOnly }
func (t *tree) Open(string) (filesys.File, error)    { return nil, errReadOnly }
func (t *tree) Mkdir(string) error                   { return errReadOnly }
func (t *tree) MkdirAll(string) error                { return errReadOnly }
func (t *tree) RemoveAll(string) error               { return errReadOnly }
func (t *tree) WriteFile(string, []byte) error       { return errReadOnly }
func (t *tree) Glob(string) ([]string, error)        { return nil, errReadOnly }
func (t *tree) Walk(string, filepath.WalkFunc) error { return errReadOnly }
