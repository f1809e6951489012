package ghapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// Remade is not a failure: it says that the ledger was written, but into a new
// issue, because the old one was deleted or transferred away.
type Remade struct{ Old, New int }

func (e *Remade) Error() string {
	return fmt.Sprintf("the tracking issue #%d was deleted or transferred; #%d was made in its place", e.Old, e.New)
}

// SaveLedger writes the state into the tracking issue and returns its number.
// It reopens a closed one. With State.Issue 0 it makes one; look says that an
// earlier try's answer is missing, so that an issue may be there already. The
// state is not changed: the caller notes the number. One write, and one for each
// overflow comment that is not there yet. A *Remade error comes with the number
// of the new issue, and the state is saved.
func (a *API) SaveLedger(ctx context.Context, s *promotion.State, look bool) (issue int, err error) {
	r, err := a.repository(s.Repo)
	if err != nil {
		return 0, err
	}
	if len(a.opts.LedgerKeys) == 0 {
		return 0, errNoKey
	}
	issue, err = r.saveLedger(forAskers(ctx, s), s, look)
	var remade *Remade
	if err != nil && !errors.As(err, &remade) {
		return 0, a.ledgerError(err, "write the tracking issue of "+s.Repo.FullName())
	}
	return issue, err
}

func (r *repository) saveLedger(ctx context.Context, s *promotion.State, look bool) (int, error) {
	if s.Issue == 0 {
		return r.makeLedger(ctx, s, look, look)
	}
	err := r.updateLedger(ctx, s)
	if !errors.Is(err, ErrGone) {
		return s.Issue, err
	}
	number, err := r.makeLedger(ctx, s, true, look)
	if err != nil {
		return 0, err
	}
	return number, &Remade{Old: s.Issue, New: number}
}

// at is the state as it stands in an issue.
func at(s *promotion.State, issue int) *promotion.State {
	moved := *s
	moved.Issue = issue
	return &moved
}

func (r *repository) encode(s *promotion.State) (ledger.Body, error) {
	return ledger.Encode(s, r.api.opts.LedgerKeys[0], r.api.links, r.api.opts.Now())
}

// makeLedger makes the tracking issue or, with adopt, takes one that is there.
// With wait one may have been made so recently that lists do not show it.
func (r *repository) makeLedger(ctx context.Context, s *promotion.State, adopt, wait bool) (int, error) {
	if wait {
		since := s.Local.Creating
		if since.IsZero() {
			since = r.api.opts.Now()
		}
		if err := r.api.sleep(ctx, since.Add(listLag).Sub(r.api.opts.Now())); err != nil {
			return 0, err
		}
	}
	if adopt {
		if number, err := r.adoptable(ctx, s); err != nil || number != 0 {
			if err == nil {
				err = r.updateLedger(ctx, at(s, number))
			}
			return number, err
		}
	}
	body, err := r.encode(at(s, 0))
	if err != nil {
		return 0, err
	}
	if len(body.Overflow) == 0 {
		return r.createIssue(ctx, body.Title, body.Text)
	}
	// Comments need an issue, and a body must not name comments that are not there.
	number, err := r.createIssue(ctx, body.Title, "The app is setting this issue up.")
	if err != nil {
		return 0, err
	}
	return number, r.updateLedger(ctx, at(s, number))
}

// adoptable is the number of an issue that the ledger may be written into; 0:
// there is none.
func (r *repository) adoptable(ctx context.Context, s *promotion.State) (int, error) {
	found, number, err := r.findLedger(ctx)
	var about *LedgerError
	switch {
	case errors.Is(err, ledger.ErrNewer):
		return 0, err
	case errors.As(err, &about):
		return number, nil
	case err != nil:
		return 0, err
	case found.Revision > s.Revision:
		return 0, promotion.Terminal(fmt.Errorf(
			"the tracking issue #%d holds revision %d, and this server has %d: another server writes it; stop one of them", number, found.Revision, s.Revision))
	}
	return number, nil
}

func (r *repository) createIssue(ctx context.Context, title, text string) (int, error) {
	issue, _, err := r.Issues.Create(ctx, r.Owner, r.Name, &github.IssueRequest{Title: &title, Body: &text, Labels: &[]string{Label}})
	if err != nil {
		return 0, err
	}
	return issue.GetNumber(), r.wrote(ctx, issue, text)
}

// wrote checks that GitHub took what was sent: it may answer with 200 and keep
// an old body, and it drops labels without a word.
func (r *repository) wrote(ctx context.Context, issue *github.Issue, text string) error {
	if unified(issue.GetBody()) != unified(text) {
		return fmt.Errorf("GitHub answered that issue #%d was written, and kept another body", issue.GetNumber())
	}
	if slices.ContainsFunc(issue.Labels, func(l *github.Label) bool { return strings.EqualFold(l.GetName(), Label) }) {
		return nil
	}
	_, _, err := r.Issues.AddLabelsToIssue(ctx, r.Owner, r.Name, issue.GetNumber(), []string{Label})
	return err
}

func unified(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}
