package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
)

// overlap is how much later than others an attempt may show in GitHub's list: it
// says "deliveries may lag by minutes".
const overlap = 10 * time.Minute

// failing is one delivery that did not get through so far.
type failing struct {
	ghapi.Attempt           // the newest
	first         time.Time // when the first that we know of failed
	asked         time.Time // when it was asked for again, after the newest; zero: not yet
}

// due is when it is asked for again: at once, and each further time after as long
// as it has been failing, so that what we refuse is not sent every minute.
func (f *failing) due() time.Time { return f.At.Add(f.At.Sub(f.first)) }

// failures are those that are not dealt with.
type failures struct {
	listed  time.Time           // when they were listed last; zero: not yet
	handled map[int64]time.Time // attempts that were noted, and when they failed
	open    map[string]*failing // by GUID
}

// sweepFailed lists what failed since the last time and asks for it again.
func (s *Sweep) sweepFailed(ctx context.Context) error {
	now := s.Now()
	if s.failed.listed.IsZero() && now.Sub(s.duty.Seen) > s.Window && s.duty.All.IsZero() {
		s.duty.All = now.UTC() // what happened meanwhile is no longer sent by anybody
	}
	if err := s.listFailed(ctx, now); err != nil {
		return err
	}
	err := s.askAgain(ctx, now)
	s.duty.Seen = s.failed.seen(now)
	return err
}

func (s *Sweep) listFailed(ctx context.Context, now time.Time) error {
	since := s.failed.listed
	if since.IsZero() {
		since = s.duty.Seen
	}
	if oldest := now.Add(-s.Window); since.Before(oldest) {
		since = oldest
	}
	since = since.Add(-overlap)
	list, err := s.GitHub.FailedAttempts(ctx, since)
	if err != nil {
		return err
	}
	for _, a := range slices.Backward(list) { // the oldest first
		s.failed.note(a)
	}
	s.failed.listed = now
	maps.DeleteFunc(s.failed.handled, func(_ int64, at time.Time) bool { return at.Before(since) })
	return nil
}

// note takes an attempt, once.
func (f *failures) note(a ghapi.Attempt) {
	if _, known := f.handled[a.ID]; known {
		return
	}
	f.handled[a.ID] = a.At
	d := f.open[a.GUID]
	if d == nil {
		d = &failing{first: a.At}
		f.open[a.GUID] = d
	}
	d.Attempt, d.asked = a, time.Time{}
}

// seen is before what every failure is dealt with.
func (f *failures) seen(now time.Time) time.Time {
	for _, d := range f.open {
		if d.asked.IsZero() && d.At.Before(now) {
			now = d.At
		}
	}
	return now.UTC()
}

// askAgain asks for those that are due, the oldest first.
func (s *Sweep) askAgain(ctx context.Context, now time.Time) error {
	oldest := slices.SortedFunc(maps.Values(s.failed.open), func(a, b *failing) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	for _, d := range oldest {
		if ctx.Err() != nil {
			return errNoTime
		}
		over := !d.asked.IsZero() && now.Sub(d.asked) > overlap // it got through, or it would have been listed
		if over {
			delete(s.failed.open, d.GUID)
		}
		if over || !d.asked.IsZero() || d.due().After(now) {
			continue
		}
		if err := s.askFor(ctx, d, now); err != nil {
			return err
		}
	}
	return nil
}

// askFor asks for one delivery again, unless the log has it.
func (s *Sweep) askFor(ctx context.Context, d *failing, now time.Time) error {
	known, err := s.Knows(ctx, d.GUID)
	if err != nil {
		return err
	}
	if known { // it was taken, and the answer got lost
		delete(s.failed.open, d.GUID)
		return nil
	}
	err = s.GitHub.Redeliver(ctx, d.ID)
	if errors.Is(err, ghapi.ErrNotRedeliverable) {
		delete(s.failed.open, d.GUID)
		return s.lookInstead(ctx, d.Attempt)
	}
	if err != nil {
		return err
	}
	zerolog.Ctx(ctx).Info().Str("delivery", d.GUID).Int64("repository", d.Repository).Msg("asked GitHub to send a delivery again that failed")
	d.asked = now
	return nil
}

// lookInstead looks at what a delivery was about that is not sent again.
func (s *Sweep) lookInstead(ctx context.Context, a ghapi.Attempt) error {
	if entry, known := s.Store.Repo(ctx, a.Repository); known {
		return s.Look(ctx, fmt.Sprintf("lost-%s", a.GUID), entry.Repo)
	}
	if s.duty.All.IsZero() {
		s.duty.All = s.Now().UTC() // it was about an installation, or a repository of which nobody heard
	}
	return nil
}
