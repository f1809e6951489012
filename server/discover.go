package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// discover finds the repositories of all installations when the store knows
// none: at the first start, and with an empty disk. Each is looked at once.
func (s *Server) discover(ctx context.Context) {
	if len(s.store.Repos(ctx)) > 0 {
		return
	}
	for try := 1; ctx.Err() == nil; try++ {
		err := s.lookAtAll(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		zerolog.Ctx(ctx).Warn().Err(err).Msg("the installations could not be listed; it is tried again")
		select {
		case <-time.After(pause(try, err)):
		case <-ctx.Done():
		}
	}
}

func (s *Server) lookAtAll(ctx context.Context) error {
	installations, err := s.api.Installations(ctx)
	if err != nil {
		return fmt.Errorf("list the installations: %w", err)
	}
	var failed error
	start := time.Now().UnixNano()
	for _, inst := range installations {
		if inst.Suspended {
			continue
		}
		repos, err := s.api.Repositories(ctx, inst.ID)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("list the repositories of %s: %w", inst.Account, err))
			continue // other installations go on
		}
		for _, repo := range repos {
			if err := s.look(ctx, fmt.Sprintf("start-%d-%d", start, repo.ID), repo); err != nil {
				return err
			}
		}
	}
	return failed
}

// look asks for one look at a repository.
func (s *Server) look(ctx context.Context, guid string, repo promotion.Repo) error {
	if _, known := s.store.Repo(ctx, repo.ID); known {
		return nil
	}
	eventType, payload := handlers.Internal(handlers.Look, repo)
	if _, err := s.log.Accept(ctx, guid, eventType, fmt.Sprintf("r%d", repo.ID), payload); err != nil {
		return fmt.Errorf("append the look at %s: %w", repo.FullName(), err)
	}
	return nil
}

// pause is how long to wait after a failed try, or as long as GitHub said.
func pause(try int, err error) time.Duration {
	if wait, ok := promotion.WaitOf(err); ok {
		return wait
	}
	return promotion.Pause(try)
}

// isFinal reports whether asking again cannot help.
func isFinal(err error) bool { return promotion.IsTerminal(err) }
