package gitops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
)

// markUse is how often a clone on disk is marked as used.
const markUse = time.Hour

// shelf knows how much room each clone takes, and when it was used last.
// Engine.mu guards it.
type shelf map[int64]*slot

type slot struct {
	bytes  int64
	used   time.Time
	marked time.Time // on disk, so that the next process knows
}

// readShelf looks at what an earlier process left.
func readShelf(dir string) (shelf, error) {
	s := shelf{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name, isClone := strings.CutSuffix(e.Name(), ".git")
		id, err := strconv.ParseInt(name, 10, 64)
		info, infoErr := e.Info()
		if isClone && err == nil && infoErr == nil {
			s[id] = &slot{bytes: packBytes(filepath.Join(dir, e.Name())), used: info.ModTime(), marked: info.ModTime()}
		}
	}
	return s, nil
}

func packBytes(clone string) (total int64) {
	entries, err := os.ReadDir(filepath.Join(clone, "objects", "pack"))
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			total += info.Size()
		}
	}
	return total
}

// oldest is the clone used least recently, but for one.
func (s shelf) oldest(but int64) (oldest int64, ok bool) {
	for id, p := range s {
		if id != but && p.bytes > 0 && (!ok || p.used.Before(s[oldest].used)) {
			oldest, ok = id, true
		}
	}
	return oldest, ok
}

func (s shelf) total() (n int64) {
	for _, p := range s {
		n += p.bytes
	}
	return n
}

// stored notes what a clone takes now, and makes room by emptying the clones
// used least recently. One that alone is larger than the limit begins anew.
func (e *Engine) stored(ctx context.Context, c *clone, s *store) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.use(c)
	p.bytes = s.total()
	for e.shelf.total() > e.opts.Disk && e.evict(ctx, c.id) {
	}
	if p.bytes > e.opts.Disk {
		zerolog.Ctx(ctx).Warn().Int64("repository", c.id).Int64("bytes", p.bytes).Msg("the clone is larger than all clones may be; it begins anew")
		s.restart()
		p.bytes = s.total()
	}
}

// use notes that a clone is used now.
func (e *Engine) use(c *clone) *slot {
	p := e.shelf[c.id]
	if p == nil {
		p = &slot{}
		e.shelf[c.id] = p
	}
	p.used = time.Now()
	if p.used.Sub(p.marked) > markUse && os.Chtimes(c.dir, time.Time{}, p.used) == nil {
		p.marked = p.used
	}
	return p
}

// evict empties the clone used least recently, but for one. What reads it
// meanwhile fetches again.
func (e *Engine) evict(ctx context.Context, but int64) bool {
	id, ok := e.shelf.oldest(but)
	if !ok {
		return false
	}
	zerolog.Ctx(ctx).Info().Int64("repository", id).Int64("bytes", e.shelf[id].bytes).Msg("a clone was emptied to make room for others")
	e.shelf[id].bytes = 0
	if c := e.clones[id]; c != nil && c.empty() {
		return true
	}
	_ = os.RemoveAll(e.cloneDir(id))
	delete(e.shelf, id)
	return true
}

// makeRoom empties a clone because the disk is full; false: there is none.
func (e *Engine) makeRoom(ctx context.Context, but int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.evict(ctx, but)
}

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// DiskUsed is what the clones take on disk, in bytes.
func (e *Engine) DiskUsed() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.shelf.total()
}
