package server

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/sweep"
)

// Newer is the record on GitHub if it is newer than a state of the store; nil: it is
// not. Commands that were seen and not answered since are appended.
func (r record) Newer(ctx context.Context, s *promotion.State) (*promotion.State, error) {
	newer, err := r.newerThan(ctx, s)
	if err != nil || newer == nil {
		return nil, err
	}
	return newer, r.takeOwed(ctx, s.Repo, newer)
}

// newerThan looks where the state says that the ledger stands. It may have moved since,
// when Issues were switched on or off.
func (r record) newerThan(ctx context.Context, s *promotion.State) (*promotion.State, error) {
	if s.Repo.NoIssues {
		if found, err := r.inCheck(ctx, s); found != nil || err != nil {
			return newerOf(found, s), err
		}
	}
	newer, err := r.api.NewerLedger(ctx, s)
	switch {
	case errors.Is(err, promotion.ErrIssuesOff) && s.Repo.NoIssues:
		return nil, nil
	case errors.Is(err, promotion.ErrIssuesOff):
		found, err := r.inCheck(ctx, s)
		return newerOf(found, s), err
	case errors.Is(err, ledger.ErrNewer):
		return nil, fmt.Errorf("upgrade this server: %w", err)
	}
	return newer, err
}

// inCheck is the record in the check run that holds it; nil: there is none that is valid.
func (r record) inCheck(ctx context.Context, s *promotion.State) (*promotion.State, error) {
	found, err := r.api.LoadLedgerCheck(ctx, s.Repo, false)
	var unreadable *ghapi.LedgerError
	switch {
	case errors.Is(err, ledger.ErrNewer):
		return nil, fmt.Errorf("upgrade this server: %w", err)
	case errors.As(err, &unreadable):
		return nil, nil
	case err != nil:
		return nil, err
	}
	found.Issue = s.Issue
	return found, nil
}

func newerOf(found, s *promotion.State) *promotion.State {
	if found == nil || found.Revision <= s.Revision {
		return nil
	}
	return found
}

// outdated is whether the store was found to be older than what happened.
type outdated struct {
	mu    sync.Mutex
	asked bool // for a look at all repositories
}

// lookAtAll has all repositories looked at, once in a process's life, because the store
// is an old copy: those that came since are not in it, and it may be wrong of others.
func (s *Server) lookAtAll(ctx context.Context) {
	s.outdated.mu.Lock()
	defer s.outdated.mu.Unlock()
	if s.outdated.asked {
		return
	}
	if err := sweep.LookAtAll(ctx, s.store); err != nil {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("all repositories should be looked at, and it could not be asked for")
		return
	}
	s.outdated.asked = true
}
