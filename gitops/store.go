package gitops

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/rs/zerolog"
)

// store is the durable layer: a bare repository that holds packs. git takes it
// for a partial clone, which is why it may lack objects.
type store struct {
	dir string

	mu    sync.Mutex
	packs []*pack // the newest first: it answers most reads
	bases cache.Object
	heads map[string]plumbing.Hash
	begin int64 // bytes that the clone began with
	err   error // set once closed

	growth int64                                       // maxGrowth
	merge  int64                                       // maxMerged
	create func(dir, pattern string) (*os.File, error) // os.CreateTemp
}

// layoutMark is a line of the config of clones that this version reads.
const layoutMark = "[stagecoach]\n\tlayout = 1\n"

// The files that make a folder a bare repository.
var layout = map[string]string{
	"HEAD": "ref: refs/heads/main\n",
	"config": "[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n\tbare = true\n" +
		"[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n" +
		"[gc]\n\tauto = 0\n" + layoutMark,
}

// openStore opens the clone in dir, or makes one. What cannot be read of it, or
// is of another version, is thrown away and fetched again.
func openStore(ctx context.Context, dir string) (*store, error) {
	s := &store{dir: dir, bases: cache.NewObjectLRU(8 * cache.MiByte), growth: maxGrowth, merge: maxMerged, create: os.CreateTemp}
	if err := s.upgrade(ctx); err != nil {
		return nil, err
	}
	for _, sub := range []string{"objects/pack", "objects/info", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("make the clone: %w", err)
		}
	}
	for name, text := range layout {
		if err := s.replace(name, []byte(text)); err != nil {
			return nil, err
		}
	}
	names, err := os.ReadDir(s.packDir())
	if err != nil {
		return nil, fmt.Errorf("open the clone: %w", err)
	}
	for _, n := range names {
		s.load(ctx, n.Name())
	}
	s.heads = s.readHeads()
	s.begin = s.readBegin()
	if err := s.writeHeads(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *store) packDir() string { return filepath.Join(s.dir, "objects", "pack") }

// load takes up one file of the pack folder, or removes it if a crash left it.
func (s *store) load(ctx context.Context, name string) {
	base, isIndex := strings.CutSuffix(name, ".idx")
	if !isIndex {
		if strings.HasPrefix(name, "tmp_") {
			_ = os.Remove(filepath.Join(s.packDir(), name))
		}
		return
	}
	p, err := openPack(filepath.Join(s.packDir(), base), s.bases)
	if err != nil {
		zerolog.Ctx(ctx).Warn().Err(err).Str("pack", base).Msg("a damaged pack was thrown away; its objects are fetched again")
		removePack(filepath.Join(s.packDir(), base))
		return
	}
	s.packs = append([]*pack{p}, s.packs...)
}

// upgrade throws away a clone of another layout: all of it can be fetched again.
func (s *store) upgrade(ctx context.Context) error {
	old, err := os.ReadFile(filepath.Join(s.dir, "config"))
	if err != nil || strings.Contains(string(old), layoutMark) {
		return nil
	}
	zerolog.Ctx(ctx).Warn().Str("clone", filepath.Base(s.dir)).Msg("the clone is of another version, or its config is damaged; it is fetched again")
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove a clone of another version: %w", err)
	}
	return nil
}

// replace writes a file of the clone at once or not at all.
func (s *store) replace(name string, data []byte) error {
	path := filepath.Join(s.dir, name)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := writeFile(path, data); err != nil {
		return fmt.Errorf("write the clone's %s: %w", name, err)
	}
	return nil
}

// get returns an object, or errMissing. What is read is compared with its hash:
// a pack that lies is thrown away, as if it had never been fetched.
func (s *store) get(ctx context.Context, h plumbing.Hash) (*object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	for _, p := range slices.Clone(s.packs) {
		if !p.has(h) {
			continue
		}
		o, err := p.get(h)
		if err == nil {
			return o, nil
		}
		zerolog.Ctx(ctx).Warn().Err(err).Str("pack", p.base).Msg("a damaged pack was thrown away; its objects are fetched again")
		s.discard(p)
	}
	return nil, errMissing
}

// length is how long an object is, without reading it; false: it is not here.
func (s *store) length(h plumbing.Hash) (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		if p.has(h) {
			n, err := p.length(h)
			return n, err == nil
		}
	}
	return 0, false
}

// discard throws a pack away. The remembered heads go too: what hangs on them
// is no longer whole, so nothing may be asked for as an addition to them.
func (s *store) discard(p *pack) {
	s.packs = slices.DeleteFunc(s.packs, func(q *pack) bool { return q == p })
	p.close()
	removePack(p.path)
	clear(s.heads)
	_ = s.writeHeads()
}

// has says whether an object is here, without reading it.
func (s *store) has(h plumbing.Hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holds(h)
}

func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		p.close()
	}
	s.packs, s.err = nil, ErrClosed
	return nil
}
