package ghapi

import (
	"context"
	"errors"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// NewerLedger reads the tracking issue s.Issue, or looks for it where that is 0 or gone,
// and returns the state in it if its revision is higher than that of s; nil: it is not,
// or no valid record is there. It costs one request; one more when the issue is gone,
// and those for overflow comments when the record is newer. A record of a newer version
// is a *LedgerError of ledger.ErrNewer.
func (a *API) NewerLedger(ctx context.Context, s *promotion.State) (*promotion.State, error) {
	r, err := a.repository(s.Repo)
	if err != nil {
		return nil, err
	}
	newer, err := r.newerLedger(ctx, s)
	var about *LedgerError
	if errors.As(err, &about) && !errors.Is(err, ledger.ErrNewer) {
		return nil, nil
	}
	return newer, a.ledgerError(err, "read the tracking issue of "+s.Repo.FullName())
}

func (r *repository) newerLedger(ctx context.Context, s *promotion.State) (*promotion.State, error) {
	if s.Issue == 0 {
		return r.foundNewer(ctx, s)
	}
	issue, err := r.readIssue(ctx, s.Issue)
	if errors.Is(err, ErrGone) {
		return r.foundNewer(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	own, err := r.ours(ctx, issue.GetUser())
	if err != nil {
		return nil, err
	}
	revision, err := ledger.RevisionOf(issue.GetBody(), r.api.opts.LedgerKeys, r.ID, s.Issue, own)
	if err != nil {
		return nil, &LedgerError{s.Issue, err}
	}
	if revision <= s.Revision {
		return nil, nil
	}
	return r.decode(ctx, issue)
}

// foundNewer is newerLedger for an issue that has to be looked for.
func (r *repository) foundNewer(ctx context.Context, s *promotion.State) (*promotion.State, error) {
	found, _, err := r.findLedger(ctx)
	if err != nil || found.Revision <= s.Revision {
		return nil, err
	}
	return found, nil
}
