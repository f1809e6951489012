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
	"github.com/stagecoach-app/stagecoach/gitops/step/overhear"
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

// tree shows a workspace, and what its kustomizations name elsewhere, to Kustomize,
// to be read.
type tree struct {
	ctx            context.Context
	remote         *step.Remote      // nil: the network is not used
	places         []*place          // the first is the workspace
	fetched        map[string]*place // by address
	used           []used
	sealed         bool            // nothing more may be fetched
	kustomizations map[string]bool // where kustomization files really stand
	files          map[string]*file
	held           int64 // bytes of files that are kept
	warnings       overhear.Warnings
	failed         error // the first error that is not a missing file
	reads, bytes   int
	built          int // kustomizations that were read
	values         int
}

func newTree(ctx context.Context, ws step.Workspace, remote *step.Remote) *tree {
	return &tree{
		ctx: ctx, remote: remote, places: []*place{{root: root, ws: ws}}, fetched: map[string]*place{},
		kustomizations: map[string]bool{}, files: map[string]*file{},
	}
}

func (t *tree) virtual(p string) string { return path.Join(root, p) }

// at is something that stands in a place.
type at struct {
	*place
	path  string // in the place
	entry step.Entry
}

func (a at) virtual() string { return path.Join(a.root, a.path) }

// String is how people are told of it.
func (a at) String() string {
	if a.name == "" {
		return a.path
	}
	return a.name + "//" + a.path
}

// placeOf is the place that a path of Kustomize's lies in, and the path there.
func (t *tree) placeOf(clean string) (*place, string) {
	for _, p := range t.places {
		if rest, ok := strings.CutPrefix(clean+"/", p.root+"/"); ok {
			return p, path.Clean("./" + rest)
		}
	}
	return nil, ""
}

// locate finds what stands at a path of Kustomize's.
func (t *tree) locate(p string) (at, error) {
	place, rest := t.placeOf(path.Clean(p))
	if place == nil {
		return at{}, t.fail(step.Refuse("%s leads out of the workspace", p))
	}
	where, entry, err := step.Locate(t.ctx, place.ws, rest)
	if err != nil && !promotion.IsTerminal(err) {
		return at{}, t.fail(err)
	}
	if err != nil {
		return at{}, &fs.PathError{Op: "open", Path: at{place: place, path: rest}.String(), Err: err}
	}
	found := at{place, where, entry}
	if slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(rest)) {
		if err := t.unlinked(found, rest); err != nil {
			return at{}, t.fail(err)
		}
		t.kustomizations[found.virtual()] = true
	}
	return found, nil
}

// unlinked refuses a kustomization elsewhere that is a link: what its paths are
// relative to could not be told then, and so not that they stay in their repository.
func (t *tree) unlinked(found at, rest string) error {
	if found.nested == 0 || found.path == rest {
		return nil
	}
	dir, _, err := step.Locate(t.ctx, found.ws, path.Dir(rest))
	if err != nil || path.Join(dir, path.Base(rest)) != found.path {
		return step.Refuse("%s//%s is a link, which a kustomization elsewhere may not be", found.name, rest)
	}
	return nil
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
	found, err := t.locate(p)
	switch {
	case err != nil:
		return "", "", err
	case found.entry.Mode == step.ModeFolder:
		return filesys.ConfirmedDir(found.virtual()), "", nil
	}
	return filesys.ConfirmedDir(path.Dir(found.virtual())), path.Base(found.path), nil
}

// Exists reports whether something stands at a path.
func (t *tree) Exists(p string) bool { _, err := t.locate(p); return err == nil }

// IsDir reports whether a folder stands at a path.
func (t *tree) IsDir(p string) bool {
	found, err := t.locate(p)
	return err == nil && found.entry.Mode == step.ModeFolder
}

// ReadDir lists the names in a folder.
func (t *tree) ReadDir(p string) ([]string, error) {
	found, err := t.locate(p)
	if err != nil {
		return nil, err
	}
	entries, err := found.ws.ReadDir(t.ctx, found.path)
	if err != nil {
		return nil, t.fail(fmt.Errorf("list %s: %w", found, err))
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names, nil
}

// ReadFile gives a file as Kustomize shall see it, see load.
func (t *tree) ReadFile(p string) ([]byte, error) {
	found, err := t.locate(p)
	if err != nil {
		return nil, err
	}
	f, err := t.load(found)
	if err != nil {
		return nil, err
	}
	return f.content, nil
}

// file is one that was read.
type file struct {
	content []byte
	values  int      // see values
	vetted  bool     // it is a kustomization, and content is what Kustomize shall see
	names   []string // then, the paths that it names
}

// load reads a file, counts that, and vets what Kustomize is about to follow.
func (t *tree) load(found at) (*file, error) {
	if found.entry.Mode == step.ModeFolder || found.entry.Mode == step.ModeSubmodule {
		return nil, fmt.Errorf("%s is a folder; a file is needed", found)
	}
	f := t.files[found.virtual()]
	if f == nil {
		content, err := found.ws.ReadFile(t.ctx, found.path)
		if err != nil {
			return nil, t.fail(fmt.Errorf("read %s: %w", found, err))
		}
		if len(content) > maxFile {
			return nil, t.fail(step.Refuse("%s has %d bytes; files over %d are not read", found, len(content), maxFile))
		}
		f = &file{content: content, values: values(content, maxValues)}
		t.hold(found, f)
	}
	is := t.kustomizations[found.virtual()]
	if err := t.spend(found, f, is); err != nil {
		return nil, t.fail(err)
	}
	if is && !f.vetted {
		content, names, err := t.vet(found, f.content)
		if err != nil {
			return nil, t.fail(err)
		}
		f.content, f.names, f.vetted = content, names, true
	}
	return f, nil
}

// spend counts what was read.
func (t *tree) spend(found at, f *file, kustomization bool) error {
	t.reads++
	t.bytes += len(f.content)
	t.values += f.values
	if kustomization {
		t.built++
	}
	switch {
	case t.built > maxBuilt:
		return step.Refuse("the build reads more than %d kustomizations, repetitions counted", maxBuilt)
	case t.reads > maxReads:
		return step.Refuse("the build reads more than %d files, repetitions counted", maxReads)
	case t.bytes > maxBytes:
		return step.Refuse("the build reads more than %d bytes, repetitions counted", maxBytes)
	case t.values > maxValues:
		return step.Refuse("the build reads more than %d values, aliases written out; the last file was %s", maxValues, found)
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
