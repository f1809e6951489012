package gitops

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// snapshot reads the files of one commit. The zero commit holds no files.
type snapshot struct {
	repo   *Repository
	commit plumbing.Hash
	root   plumbing.Hash
}

// snapshot opens a commit that Fetch brought here, or the empty one.
func (r *Repository) snapshot(ctx context.Context, commit plumbing.Hash) (snapshot, error) {
	s := snapshot{repo: r, commit: commit}
	if commit.IsZero() {
		return s, nil
	}
	o, err := r.object(ctx, commit, commit)
	if err != nil {
		return s, err
	}
	info, err := o.commit()
	if err != nil {
		return s, err
	}
	s.root, _ = parseHash(info.Tree)
	return s, nil
}

// tree reads a tree; zero is the empty one.
func (s snapshot) tree(ctx context.Context, h plumbing.Hash) (*tree, error) {
	if h.IsZero() {
		return nil, nil
	}
	o, err := s.repo.object(ctx, s.commit, h)
	if err != nil {
		return nil, err
	}
	return o.tree()
}

// find returns the entry at a clean path; ok is false when there is none. "."
// is the root.
func (s snapshot) find(ctx context.Context, name string) (e entry, ok bool, err error) {
	e = entry{name: ".", mode: modeDir, hash: s.root}
	if name == "." {
		return e, true, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if !e.isDir() {
			return entry{}, false, nil
		}
		t, err := s.tree(ctx, e.hash)
		if err != nil {
			return entry{}, false, err
		}
		if e, ok = t.find(part); !ok {
			return entry{}, false, nil
		}
	}
	return e, true, nil
}

// maxFile bounds the files that are read into memory, in bytes. What nobody reads
// may be of any size.
const maxFile = 32 << 20

// content reads a file or the target of a link.
func (s snapshot) content(ctx context.Context, e entry) ([]byte, error) {
	if err := s.repo.obtain(ctx, s.commit, []plumbing.Hash{e.hash}); err != nil {
		return nil, err
	}
	if n, ok := s.repo.length(ctx, e.hash); ok && n > maxFile {
		return nil, promotion.Terminal(fmt.Errorf("%s is %d MiB large: files up to %d MiB can be read", e.name, n>>20, maxFile>>20))
	}
	o, err := s.repo.object(ctx, s.commit, e.hash)
	if err != nil {
		return nil, err
	}
	if o.kind != plumbing.BlobObject {
		return nil, fmt.Errorf("object %s is a %s, not a file", e.hash, o.kind)
	}
	return o.data, nil
}
