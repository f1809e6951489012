package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// rest is what a lane does when nothing is under way: what waited for that is done, the tracking issue is
// written once, the last answers are sent, the wake is set, and the deliveries
// are acknowledged. It reports whether that started something.
func (l *lane) rest(ctx context.Context) (bool, error) {
	if l.state != nil {
		if l.startAtRest(ctx) {
			return true, nil
		}
		written, err := l.writeLedger(ctx)
		if errors.Is(err, errOutdated) {
			l.beginAgain()
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if written && l.startLate(ctx) {
			return true, nil
		}
		if err := l.setWake(ctx); err != nil {
			return false, err
		}
	}
	for len(l.taken) > 0 {
		if err := l.w.Log.Done(ctx, l.taken[0]); err != nil {
			return false, fmt.Errorf("acknowledge %s: %w", l.taken[0].GUID, err)
		}
		l.taken = l.taken[1:]
	}
	return false, nil
}

// startAtRest starts what waits until nothing else is under way: what comes of it goes
// into the ledger.
func (l *lane) startAtRest(ctx context.Context) bool {
	if !hasAtRest(l.state.Local.Pending) {
		return false
	}
	for _, e := range promotion.Advance(l.state, nil, l.w.Now()).Effects {
		if e.AtRest {
			l.start(ctx, e)
		}
	}
	return len(l.running) > 0
}

func hasAtRest(pending map[string]*promotion.Effect) bool {
	for _, e := range pending {
		if e.AtRest {
			return true
		}
	}
	return false
}

// startLate starts what waits for the ledger.
func (l *lane) startLate(ctx context.Context) bool {
	for _, e := range promotion.Advance(l.state, nil, l.w.Now()).Effects {
		l.start(ctx, e)
	}
	return len(l.running) > 0
}

// writeLedger writes the tracking issue, or the check run in its place, when it says
// something else than it should. It reports whether it now holds the state. What GitHub makes wait is
// written later, and nothing is lost.
func (l *lane) writeLedger(ctx context.Context) (bool, error) {
	if l.state.Repo.Idle != "" {
		return true, nil
	}
	if l.state.Local.Rival != nil {
		return false, nil // another server writes it
	}
	hash, err := l.w.Ledger.Hash(l.state)
	if err != nil {
		return false, fmt.Errorf("draw the tracking issue: %w", err)
	}
	if hash == l.state.Local.Written && inPlace(l.state) && !l.state.Local.Suspect {
		return true, nil
	}
	if now := l.w.Now(); now.Before(l.notBefore) {
		return false, nil
	}
	if err := l.mayOverwrite(ctx); errors.Is(err, errOutdated) {
		return false, err
	} else if err != nil {
		return false, l.ledgerRefused(ctx, err)
	}
	look := !l.state.Local.Creating.IsZero()
	if err := l.claimRevision(ctx); err != nil {
		return false, err
	}
	at, err := l.w.Ledger.Save(ctx, l.state, look)
	if errors.Is(err, promotion.ErrIssuesOff) && !l.state.Repo.NoIssues {
		if err := l.noteIssuesOff(ctx); err != nil {
			return false, err
		}
		return l.writeLedger(ctx)
	}
	if err != nil {
		return false, l.ledgerRefused(ctx, err)
	}
	l.refused = 0
	return true, l.noteWritten(ctx, at, hash)
}

// inPlace reports whether the ledger stands where it belongs: in the tracking issue,
// or in a check run while Issues are off.
func inPlace(s *promotion.State) bool {
	if s.Repo.NoIssues {
		return s.Local.LedgerCheck.ID != 0
	}
	return s.Issue != 0 && s.Local.LedgerCheck.ID == 0
}

// noteIssuesOff takes from GitHub's refusal what no event told.
func (l *lane) noteIssuesOff(ctx context.Context) error {
	s := *l.state
	s.Repo.NoIssues, s.Local.Creating = true, time.Time{}
	return l.save(ctx, &s)
}

// claimRevision takes the ledger's next revision in the store before the issue
// is written: of two writers only one gets it.
func (l *lane) claimRevision(ctx context.Context) error {
	s := *l.state
	s.Revision++
	if makes(&s) && s.Local.Creating.IsZero() {
		s.Local.Creating = l.w.Now().UTC()
	}
	return l.save(ctx, &s)
}

// makes reports whether the write makes an issue or a check run, of which lists may
// not tell at once.
func makes(s *promotion.State) bool {
	if s.Repo.NoIssues {
		at := s.Local.LedgerCheck
		return at.ID == 0 || at.SHA != s.Local.Tips[s.Repo.DefaultBranch]
	}
	return s.Issue == 0
}

func (l *lane) noteWritten(ctx context.Context, at LedgerAt, hash string) error {
	s := *l.state
	s.Issue, s.Local.LedgerCheck = at.Issue, at.Check
	s.Local.Written, s.Local.Creating, s.Local.Suspect = hash, time.Time{}, false
	before := l.state
	if err := l.save(ctx, &s); err != nil {
		return err
	}
	if l.w.OnState != nil {
		l.w.OnState(before, &s)
	}
	return nil
}

// ledgerRefused says when the tracking issue is tried again. Only an end of the
// process is an error of the lane.
func (l *lane) ledgerRefused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.refused++
	wait := promotion.Pause(l.refused)
	if told, ok := promotion.WaitOf(err); ok {
		wait = max(told, time.Second)
	}
	var missing *promotion.MissingPermission
	if errors.As(err, &missing) || promotion.IsTerminal(err) {
		wait = time.Hour
	}
	l.notBefore = l.w.Now().Add(wait)
	zerolog.Ctx(ctx).Warn().Err(err).Dur("after", wait).Msg("the tracking issue is written later")
	return nil
}

// setWake sets the lane's timer to the earliest thing that waits for a time.
func (l *lane) setWake(ctx context.Context) error {
	now := l.w.Now()
	at := promotion.Advance(l.state, nil, now).Wake
	if l.notBefore.After(now) && (at.IsZero() || l.notBefore.Before(at)) {
		at = l.notBefore
	}
	woken := false
	for _, d := range l.taken {
		woken = woken || d.Type == "stagecoach.wake"
	}
	if at.Equal(l.wakeSet) && !woken {
		return nil
	}
	if err := l.w.Log.Wake(ctx, l.key, at); err != nil {
		return fmt.Errorf("set the wake of %s: %w", l.key, err)
	}
	l.wakeSet = at
	return nil
}
