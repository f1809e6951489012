package server

import (
	"context"
	"time"

	"github.com/rs/zerolog"
)

// How often clones are looked through, and how old one must be. A repository that is
// looked at for the first time has a clone a moment before it is known.
const (
	cleanEvery = time.Hour
	cleanAfter = 6 * time.Hour
)

// cleanClones removes the clones of repositories without a pipeline, and of those
// that were forgotten, by this process or by another that shares the store.
func (s *Server) cleanClones(ctx context.Context) {
	for {
		if err := s.cleanClonesOnce(ctx, time.Now().Add(-cleanAfter)); err != nil {
			zerolog.Ctx(ctx).Warn().Err(err).Msg("clones that are not needed could not be removed; it is tried again")
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(cleanEvery):
		}
	}
}

func (s *Server) cleanClonesOnce(ctx context.Context, unusedSince time.Time) error {
	unused, err := s.git.Unused(unusedSince)
	if err != nil {
		return err
	}
	for _, id := range unused {
		if entry, known := s.store.Repo(ctx, id); known && entry.HasPipeline {
			continue
		}
		if err := s.git.Forget(id); err != nil {
			return err
		}
	}
	return nil
}
