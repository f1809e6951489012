package ghapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// ledgerDepth is how many commits of the default branch are looked at for the ledger's
// check run.
const ledgerDepth = 100

// LoadLedgerCheck reads the state from the newest check run that holds it: on the last
// hundred commits of the default branch or, shallow, on its tip alone. It costs one
// request for each commit looked at, and one for their list. The state says where it
// was found (Local.LedgerCheck). Errors are those of LoadLedger.
func (a *API) LoadLedgerCheck(ctx context.Context, repo promotion.Repo, shallow bool) (*promotion.State, error) {
	r, err := a.repository(repo)
	if err != nil {
		return nil, err
	}
	s, err := r.loadLedgerCheck(ctx, shallow)
	if err != nil {
		return nil, a.ledgerError(err, "read the ledger's check run of "+repo.FullName())
	}
	return s, nil
}

func (r *repository) loadLedgerCheck(ctx context.Context, shallow bool) (*promotion.State, error) {
	refs := []string{r.DefaultBranch}
	if !shallow {
		var err error
		if refs, err = r.lastCommits(ctx, ledgerDepth); err != nil {
			return nil, err
		}
	}
	worst := &LedgerError{0, fmt.Errorf("%w: no check run %s on the default branch", ledger.ErrNone, LedgerCheckName)}
	for _, ref := range refs {
		runs, err := r.ledgerRunsOn(ctx, ref)
		if err != nil {
			return nil, err
		}
		s, err := r.decodeRuns(runs)
		switch {
		case err == nil && s != nil:
			return s, nil
		case errors.Is(err, ledger.ErrNewer):
			return nil, &LedgerError{0, err}
		case err != nil:
			worst = &LedgerError{0, err}
		}
	}
	return nil, worst
}

// decodeRuns reads the state out of the check runs of one commit; nil: none holds one.
// Of several the valid one with the highest revision counts.
func (r *repository) decodeRuns(runs ledgerRuns) (best *promotion.State, worst error) {
	part := func(hash string) (string, bool) {
		run := runs.part(hash)
		return run.GetOutput().GetSummary(), run != nil
	}
	for _, run := range runs {
		if run.GetExternalID() != ledgerID {
			continue
		}
		s, err := ledger.Decode(run.GetOutput().GetSummary(), part, r.api.opts.LedgerKeys, r.ID, 0, true)
		switch {
		case errors.Is(err, ledger.ErrNewer):
			return nil, err
		case err != nil:
			worst = err
		case best == nil || s.Revision > best.Revision:
			best = s
			best.Local.LedgerCheck = promotion.LedgerCheck{ID: run.GetID(), SHA: run.GetHeadSHA()}
		}
	}
	if best != nil {
		return best, nil
	}
	return nil, worst
}

// lastCommits lists the newest commits of the default branch, at most a hundred. An
// empty repository has none.
func (r *repository) lastCommits(ctx context.Context, most int) ([]string, error) {
	commits, _, err := r.Repositories.ListCommits(ctx, r.Owner, r.Name, &github.CommitsListOptions{
		SHA: r.DefaultBranch, ListOptions: github.ListOptions{PerPage: most},
	})
	var out []string
	for _, c := range commits {
		out = append(out, c.GetSHA())
	}
	return out, err
}

// LeaveLedgerCheck says in the check run that held the ledger that it moved to the
// tracking issue. What it held is an older revision now.
func (a *API) LeaveLedgerCheck(ctx context.Context, s *promotion.State) error {
	r, err := a.repository(s.Repo)
	if err != nil {
		return err
	}
	at := s.Local.LedgerCheck
	text := "The record is in the tracking issue again: " + a.links.Issue(s.Repo.FullName(), s.Issue) + "\n"
	_, err = r.writeCheck(ctx, at.ID, ledgerRun(at.SHA, ledgerID, "Moved to the tracking issue", text))
	return a.ledgerError(err, "say where the ledger of "+s.Repo.FullName()+" moved")
}
