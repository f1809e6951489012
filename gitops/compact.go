package gitops

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/rs/zerolog"
)

const (
	maxSmallPacks = 24        // each fetch adds one, and each costs on every read
	smallPack     = 1 << 20   // bytes
	maxGrowth     = 64 << 20  // bytes that come to what a clone began with
	maxMerged     = 256 << 20 // bytes that small packs unpack to, to be merged
)

// tidy keeps the clone from growing for ever. Old objects are not told from those
// that are needed: once what was added outweighs what it began with, it begins
// anew, and what is read then is fetched then. Readers go on meanwhile; only who
// holds the clone's fetching gate may call it.
func (s *store) tidy(ctx context.Context) {
	if s.total() > s.began()*3/2+s.growth {
		zerolog.Ctx(ctx).Info().Msg("the clone has grown over the years; it begins anew")
		s.restart()
		return
	}
	s.compact(ctx)
}

// compact merges small packs into one when there are many. A failure harms
// nothing: the packs stay as they are.
func (s *store) compact(ctx context.Context) {
	old := s.small()
	if len(old) <= maxSmallPacks {
		return
	}
	var merged string
	objects, err := s.contents(ctx, old)
	if err == nil {
		merged, err = s.pack(ctx, objects)
	}
	if errors.Is(err, errTooLarge) {
		zerolog.Ctx(ctx).Info().Msg("the clone's small packs unpack to too much to be merged; it begins anew")
		s.restart()
		return
	}
	if err != nil {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("the clone's small packs could not be merged; they stay as they are")
		return
	}
	s.drop(old, merged)
}

// drop removes packs, but for the one at keep: the merged one may be one of
// them, if it held all.
func (s *store) drop(old []*pack, keep string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range old {
		if i := slices.Index(s.packs, p); i >= 0 && p.path != keep {
			s.packs = slices.Delete(s.packs, i, i+1)
			p.close()
			removePack(p.path)
		}
	}
}

func (s *store) small() []*pack {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*pack
	for _, p := range s.packs {
		if p.size < smallPack {
			out = append(out, p)
		}
	}
	return out
}

// contents reads all objects of packs, each once; damaged ones are left out.
func (s *store) contents(ctx context.Context, packs []*pack) ([]*object, error) {
	hashes, err := s.list(packs)
	if err != nil {
		return nil, err
	}
	var out []*object
	left := s.merge
	for _, h := range hashes {
		if n, _ := s.length(h); n > left {
			return nil, errTooLarge
		}
		o, err := s.get(ctx, h)
		if errors.Is(err, errMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		left -= o.size()
		out = append(out, o)
	}
	return out, nil
}

func (s *store) list(packs []*pack) ([]plumbing.Hash, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []plumbing.Hash
	for _, p := range packs {
		it, err := p.idx.Entries()
		if err != nil {
			return nil, err
		}
		for {
			e, err := it.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
			out = append(out, e.Hash)
		}
	}
	return unique(out), nil
}
