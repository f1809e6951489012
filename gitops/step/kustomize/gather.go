package kustomize

import (
	"context"
	"path"
	"strings"
	"sync/atomic"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// gather reads what the build of a folder will read, and fetches what is elsewhere.
// Builds wait for each other; so they do not wait for each other's network. A file
// that is missing or wrong is the build's to tell.
func (t *tree) gather(dir string) error {
	seen := map[string]bool{}
	for level := []string{dir}; len(level) > 0; {
		t.prefetch(kustomizationsIn(level))
		var named []string
		for _, folder := range level {
			more, err := t.named(folder)
			if err != nil {
				return err
			}
			named = append(named, more...)
		}
		level = nil
		t.prefetch(named)
		for _, p := range named {
			found, err := t.locate(p)
			switch {
			case t.failed != nil:
				return t.failed
			case err != nil || seen[found.virtual()]:
				continue
			}
			seen[found.virtual()] = true
			if found.entry.Mode == step.ModeFolder {
				level = append(level, found.virtual())
			} else if _, err := t.load(found); err != nil && t.failed != nil {
				return t.failed
			}
		}
	}
	t.sealed, t.reads, t.bytes, t.built, t.values = true, 0, 0, 0, 0
	return nil
}

func kustomizationsIn(folders []string) (out []string) {
	for _, folder := range folders {
		for _, name := range konfig.RecognizedKustomizationFileNames() {
			out = append(out, path.Join(folder, name))
		}
	}
	return out
}

// named are the paths that the kustomization in a folder names.
func (t *tree) named(folder string) (out []string, err error) {
	for _, p := range kustomizationsIn([]string{folder}) {
		found, err := t.locate(p)
		if err == nil {
			var f *file
			if f, err = t.load(found); err == nil {
				out = append(out, under(folder, f.names)...)
			}
		}
		if t.failed != nil {
			return nil, t.failed
		}
	}
	return out, nil
}

// under are the paths in a folder that a kustomization there names.
func under(folder string, names []string) (out []string) {
	for _, p := range names {
		if p != "" && !strings.Contains(p, "\n") {
			out = append(out, path.Join(folder, p))
		}
	}
	return out
}

// prefetcher is a workspace that gets several files at once.
type prefetcher interface {
	Prefetch(ctx context.Context, paths ...string) error
}

// prefetch has what is not here come with few requests. What fails is told by
// whoever reads it.
func (t *tree) prefetch(virtual []string) {
	for _, p := range t.places {
		ws, can := p.ws.(prefetcher)
		var inside []string
		for _, v := range virtual {
			if in, rest := t.placeOf(v); in == p {
				inside = append(inside, rest)
			}
		}
		if can && len(inside) > 1 {
			_ = ws.Prefetch(t.ctx, inside...)
		}
	}
}

// maxHeld bounds the bytes of files that all builds keep between gathering and
// building. What is beyond is read twice.
const maxHeld = 256 << 20

var allHeld atomic.Int64

// hold keeps a file for the build.
func (t *tree) hold(found at, f *file) {
	size := int64(len(f.content))
	if allHeld.Add(size) > maxHeld {
		allHeld.Add(-size)
		return
	}
	t.held += size
	t.files[found.virtual()] = f
}

// release lets go of what was kept.
func (t *tree) release() {
	allHeld.Add(-t.held)
	t.held, t.files = 0, nil
}
