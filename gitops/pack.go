package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// pack is one pack file with its index in memory. go-git's reader seeks, so
// the store's lock guards it.
type pack struct {
	path string // without ending
	base string
	idx  *idxfile.MemoryIndex
	file *packfile.Packfile
	size int64
}

// openPack opens PATH.pack with PATH.idx. Besides the index it looks at the
// pack's size alone; each object's hash is compared when it is read.
func openPack(path string, bases cache.Object) (*pack, error) {
	raw, err := os.Open(path + ".idx")
	if err != nil {
		return nil, fmt.Errorf("open the index of a pack: %w", err)
	}
	defer func() { _ = raw.Close() }()
	idx := idxfile.NewMemoryIndex()
	if err := idxfile.NewDecoder(raw).Decode(idx); err != nil {
		return nil, fmt.Errorf("read the index of a pack: %w", err)
	}
	file, err := osfs.New(filepath.Dir(path)).Open(filepath.Base(path) + ".pack")
	if err != nil {
		return nil, fmt.Errorf("open a pack: %w", err)
	}
	info, err := os.Stat(path + ".pack")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open a pack: %w", err), file.Close())
	}
	return &pack{
		path: path, base: filepath.Base(path), idx: idx, size: info.Size(),
		file: packfile.NewPackfileWithCache(idx, nil, file, bases, 0),
	}, nil
}

func (p *pack) close() { _ = p.file.Close() }

func (p *pack) has(h plumbing.Hash) bool {
	ok, err := p.idx.Contains(h)
	return ok && err == nil
}

// get reads an object and compares it with its hash.
func (p *pack) get(h plumbing.Hash) (*object, error) {
	raw, err := p.file.Get(h)
	if err != nil {
		return nil, fmt.Errorf("read object %s: %w", h, err)
	}
	r, err := raw.Reader()
	if err != nil {
		return nil, fmt.Errorf("read object %s: %w", h, err)
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read object %s: %w", h, err)
	}
	o := newObject(raw.Type(), data)
	if o.hash != h {
		return nil, fmt.Errorf("read object %s: the content has the hash %s", h, o.hash)
	}
	return o, nil
}

// length is how long an object is, without reading it.
func (p *pack) length(h plumbing.Hash) (int64, error) {
	at, err := p.idx.FindOffset(h)
	if err != nil {
		return 0, err
	}
	return p.file.GetSizeByOffset(at)
}

// installPack indexes the finished pack file tmp and moves it to its place in
// dir, the index last: a pack counts from the moment that its index is
// there. An empty pack gives an empty path.
func installPack(ctx context.Context, tmp, dir string) (string, error) {
	f, err := os.Open(tmp)
	if err != nil {
		return "", fmt.Errorf("index the pack: %w", err)
	}
	defer func() { _ = f.Close() }()
	index, sum, err := indexPack(ctx, f)
	if err != nil || index == nil {
		return "", err
	}
	path := filepath.Join(dir, "pack-"+sum.String())
	return path, place(tmp, path, index)
}

func place(tmp, path string, index *idxfile.MemoryIndex) error {
	var b bytes.Buffer
	if _, err := idxfile.NewEncoder(&b).Encode(index); err != nil {
		return fmt.Errorf("index the pack: %w", err)
	}
	err := errors.Join(
		os.Rename(tmp, path+".pack"),
		// git takes what lies beside this file for fetched from a remote that
		// keeps the rest: https://git-scm.com/docs/partial-clone
		writeFile(path+".promisor", nil),
		writeFile(path+".idx", b.Bytes()),
	)
	if err != nil {
		return fmt.Errorf("keep the pack: %w", err)
	}
	return nil
}

func removePack(path string) {
	for _, ending := range []string{".idx", ".pack", ".promisor"} {
		_ = os.Remove(path + ending)
	}
}
