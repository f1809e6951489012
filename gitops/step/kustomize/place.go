package kustomize

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// The bounds of what one build may fetch from elsewhere.
const (
	maxPlaces = 30 // repositories at a commit, and files
	maxNested = 5  // bases elsewhere that name bases elsewhere
)

// place is a tree that a build reads: the workspace, or what stands elsewhere.
type place struct {
	root   string // in Kustomize's view, absolute
	ws     step.Workspace
	name   string // for people; of the workspace: ""
	nested int    // of how many others it was named in turn; the workspace: 0
	origin origin // of what stands elsewhere
}

// origin is what Kustomize would say of where something comes from.
type origin struct{ repo, ref string }

// remoteRoot is where what stands elsewhere stands in Kustomize's view.
const remoteRoot = "/remote"

// up leads from any folder to the root of Kustomize's view.
var up = strings.Repeat("../", 100)

// fetch gets what an address names, once for a build, and returns the path by which
// a kustomization anywhere can name it.
func (t *tree) fetch(from *place, text string, folder bool) (string, error) {
	a, err := parseAddress(text, folder)
	if err != nil {
		return "", err
	}
	key := fmt.Sprintf("%v %s?%s", a.git, a.url, a.ref)
	p := t.fetched[key]
	if p == nil {
		if p, err = t.get(a, from.nested+1); err != nil {
			return "", err
		}
		t.fetched[key] = p
	}
	if a.git {
		return up + strings.TrimPrefix(path.Join(p.root, a.dir), "/"), nil
	}
	return up + strings.TrimPrefix(p.root, "/"), nil
}

// get fetches what is not here yet.
func (t *tree) get(a address, nested int) (*place, error) {
	switch {
	case t.remote == nil:
		return nil, step.Refuse("fetch it: %w", step.ErrOffline)
	case t.remote.Bases == nil:
		return nil, step.Refuse("nothing is fetched from elsewhere here; copy it into the repository")
	case t.sealed:
		return nil, step.Refuse("it is named where a build does not look for addresses")
	case nested > maxNested:
		return nil, step.Refuse("it is named by a base elsewhere, which is named by one, and so on: more than %d of them", maxNested)
	}
	if err := t.remote.Bases.Allowed(a.url); err != nil {
		return nil, err
	}
	if a.git {
		return t.repository(a, nested)
	}
	return t.file(a, nested)
}

// repository opens a commit of a git repository. Two names of one commit are one place.
func (t *tree) repository(a address, nested int) (*place, error) {
	ws, commit, err := t.remote.Bases.Open(t.ctx, a.url, a.ref)
	if err != nil {
		return nil, err
	}
	key := "commit " + a.url + "?" + commit
	p := t.fetched[key]
	if p == nil {
		if p, err = t.add(&place{ws: ws, name: strings.TrimPrefix(a.url, "https://"), nested: nested, origin: origin{a.url, a.ref}}); err != nil {
			return nil, err
		}
		t.fetched[key] = p
	}
	t.used = append(t.used, used{a, commit})
	return p, nil
}

// file fetches one file. It stands in a folder with a kustomization that lists it, so
// that it is named as other bases are.
func (t *tree) file(a address, nested int) (*place, error) {
	content, err := t.remote.Bases.File(t.ctx, a.url, maxFile)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	t.used = append(t.used, used{a, "sha256:" + hex.EncodeToString(sum[:])})
	return t.add(&place{
		ws:   &folder{files: map[string][]byte{"kustomization.yaml": []byte("resources: [file.yaml]\n"), "file.yaml": content}},
		name: strings.TrimPrefix(a.url, "https://"), nested: nested, origin: origin{repo: a.url},
	})
}

func (t *tree) add(p *place) (*place, error) {
	if len(t.places) > maxPlaces {
		return nil, step.Refuse("the build needs more than %d repositories and files from elsewhere", maxPlaces)
	}
	p.root = path.Join(remoteRoot, strconv.Itoa(len(t.places)))
	t.places = append(t.places, p)
	return p, nil
}

// used is what was taken from elsewhere.
type used struct {
	address
	version string // a commit, or the digest of a file
}

// folder is a workspace of a few files, to be read.
type folder struct {
	step.Workspace // nothing is written
	files          map[string][]byte
}

func (f *folder) ReadFile(_ context.Context, name string) ([]byte, error) {
	content, ok := f.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return content, nil
}

func (f *folder) Stat(_ context.Context, name string) (step.Entry, error) {
	if name == "." {
		return step.Entry{Name: ".", Mode: step.ModeFolder}, nil
	}
	content, ok := f.files[name]
	if !ok {
		return step.Entry{}, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return step.Entry{Name: name, Mode: step.ModeFile, Size: int64(len(content))}, nil
}

func (f *folder) ReadDir(ctx context.Context, name string) ([]step.Entry, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "list", Path: name, Err: fs.ErrNotExist}
	}
	var out []step.Entry
	for _, each := range []string{"file.yaml", "kustomization.yaml"} {
		e, err := f.Stat(ctx, each)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}
