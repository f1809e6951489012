package ghapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// LoadLedger reads the state from the tracking issue; issue 0 means that its
// number is not known, and it is looked for by its label. Of several the valid
// one with the highest revision counts. The state's Issue is set.
//
// When there is no valid ledger the error is a *LedgerError whose cause says
// why: ledger.ErrNone, ErrForged, ErrNewer, ErrIncomplete, or ErrGone. It costs
// one request, and those for the comments of a ledger that overflows.
func (a *API) LoadLedger(ctx context.Context, repo promotion.Repo, issue int) (*promotion.State, error) {
	r, err := a.repository(repo)
	if err != nil {
		return nil, err
	}
	var s *promotion.State
	if issue != 0 {
		s, err = r.loadFrom(ctx, issue)
	} else {
		s, _, err = r.findLedger(ctx)
	}
	if err != nil {
		return nil, a.ledgerError(err, "read the tracking issue of "+repo.FullName())
	}
	return s, nil
}

// ledgerError lets through what says something about the ledger itself.
func (a *API) ledgerError(err error, doing string) error {
	var about *LedgerError
	switch {
	case err == nil, errors.As(err, &about):
		return err
	case status(err) == http.StatusGone && says(err, "disabled"):
		return promotion.Terminal(fmt.Errorf("%s: %w (%w)", doing, promotion.ErrIssuesOff, err))
	}
	return a.classify(err, doing, false)
}

func (r *repository) loadFrom(ctx context.Context, number int) (*promotion.State, error) {
	issue, err := r.readIssue(ctx, number)
	if errors.Is(err, ErrGone) {
		return nil, &LedgerError{number, err}
	}
	if err != nil {
		return nil, err
	}
	return r.decode(ctx, issue)
}

// decode reads the state out of an issue. Comments are read only if the ledger
// names parts that are in them.
func (r *repository) decode(ctx context.Context, issue *github.Issue) (*promotion.State, error) {
	own, err := r.ours(ctx, issue.GetUser())
	if err != nil {
		return nil, err
	}
	var parts map[string]*github.IssueComment
	var failed error
	part := func(hash string) (string, bool) {
		if parts == nil && failed == nil {
			parts, failed = r.parts(ctx, issue.GetNumber())
		}
		c, ok := parts[hash]
		return c.GetBody(), ok
	}
	s, err := ledger.Decode(issue.GetBody(), part, r.api.opts.LedgerKeys, r.ID, issue.GetNumber(), own)
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, &LedgerError{issue.GetNumber(), err}
	}
	return s, nil
}

// findLedger looks for the tracking issue: it returns the state, or the number
// of the issue that should hold it and a *LedgerError.
func (r *repository) findLedger(ctx context.Context) (best *promotion.State, number int, err error) {
	issues, err := r.trackingIssues(ctx)
	if err != nil {
		return nil, 0, err
	}
	var worst *LedgerError
	for _, issue := range issues {
		s, err := r.decode(ctx, issue)
		var bad *LedgerError
		switch {
		case err == nil && (best == nil || s.Revision > best.Revision):
			best = s
		case errors.As(err, &bad):
			worst = worse(worst, bad)
		case err != nil:
			return nil, 0, err
		}
	}
	switch {
	case worst != nil && errors.Is(worst, ledger.ErrNewer):
		return nil, worst.Issue, worst // whatever else is there, it is older
	case best != nil:
		return best, best.Issue, nil
	}
	worst = cmp.Or(worst, &LedgerError{0, fmt.Errorf("%w: no issue of the app with the label %s", ledger.ErrNone, Label)})
	return nil, worst.Issue, worst
}

// worse picks what matters more: a ledger from a newer version must be left
// alone, and one that is there, but damaged, should be mended before an issue that
// never held any is taken.
func worse(a, b *LedgerError) *LedgerError {
	if a == nil || rank(b) > rank(a) {
		return b
	}
	return a
}

func rank(e *LedgerError) int {
	switch {
	case errors.Is(e, ledger.ErrNewer):
		return 2
	case errors.Is(e, ledger.ErrNone):
		return 0
	}
	return 1
}
