package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rs/zerolog"
)

// keep stores objects that are in memory, which is enough when the disk is full.
func (r *Repository) keep(ctx context.Context, s *store, objects []*object) error {
	err := s.addObjects(ctx, objects)
	for diskFull(err) && r.engine.makeRoom(ctx, r.clone.id) {
		err = s.addObjects(ctx, objects)
	}
	if diskFull(err) {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("the disk is full: what was fetched is kept in memory alone")
		return nil
	}
	if err != nil {
		return err
	}
	r.settle(ctx, s)
	return nil
}

// settle keeps clone and disk within their bounds after something was added.
func (r *Repository) settle(ctx context.Context, s *store) {
	s.tidy(ctx)
	r.engine.stored(ctx, r.clone, s)
}

// beginFile holds how many bytes the clone began with.
const beginFile = "stagecoach-began"

// began is how many bytes the clone began with.
func (s *store) began() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begin
}

// setBegin takes what is here now for what the clone began with. Should that not
// be noted on disk, the clone begins anew a little earlier.
func (s *store) setBegin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin = s.bytes()
	_ = s.replace(beginFile, []byte(strconv.FormatInt(s.begin, 10)))
}

func (s *store) readBegin() int64 {
	text, err := os.ReadFile(filepath.Join(s.dir, beginFile))
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}

// total is how many bytes the packs take.
func (s *store) total() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes()
}

func (s *store) bytes() (n int64) {
	for _, p := range s.packs {
		n += p.size
	}
	return n
}

// restart throws away all packs but the newest, which somebody waits for.
func (s *store) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropFrom(1)
}

// clear throws away all packs.
func (s *store) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropFrom(0)
}

func (s *store) dropFrom(n int) {
	for len(s.packs) > n {
		s.discard(s.packs[len(s.packs)-1])
	}
	s.begin = 0
	_ = os.Remove(filepath.Join(s.dir, beginFile))
}
