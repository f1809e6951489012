package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/server/store"
)

const day = 24 * time.Hour

// slot is when in the day a repository is looked at. It follows from its ID, so that
// the looks are spread, and each repository has one a day over any restarts.
func slot(repo int64) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strconv.FormatInt(repo, 10)))
	return time.Duration(h.Sum64() % uint64(day))
}

// lastSlot is the last time, not after now, that a repository was due.
func lastSlot(repo int64, now time.Time) time.Time {
	at := now.UTC().Truncate(day).Add(slot(repo))
	if at.After(now) {
		at = at.Add(-day)
	}
	return at
}

type dueLook struct {
	store.Entry
	at time.Time
}

// sweepDaily takes the daily looks that came due since the last turn, in their order.
func (s *Sweep) sweepDaily(ctx context.Context) error {
	if !s.duty.All.IsZero() || s.duty.Daily.IsZero() {
		return nil // all are looked at anyway
	}
	now := s.Now()
	for _, d := range s.dueLooks(ctx, now) {
		if err := s.breath(ctx); err != nil {
			return err
		}
		if err := s.lookDaily(ctx, d); err != nil {
			return fmt.Errorf("look at %s: %w", d.Repo.FullName(), err)
		}
		s.duty.Daily = d.at
	}
	s.duty.Daily = now.UTC()
	return nil
}

func (s *Sweep) dueLooks(ctx context.Context, now time.Time) []dueLook {
	var due []dueLook
	for _, entry := range s.Store.Repos(ctx) {
		if at := lastSlot(entry.Repo.ID, now); entry.HasPipeline && at.After(s.duty.Daily) {
			due = append(due, dueLook{entry, at})
		}
	}
	slices.SortFunc(due, func(a, b dueLook) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.Repo.ID, b.Repo.ID)) })
	return due
}

// lookDaily looks at one that moved. What cannot be read may not be ours any more;
// only GitHub's word for that counts, and all else has another day.
func (s *Sweep) lookDaily(ctx context.Context, d dueLook) error {
	cause := fmt.Sprintf("daily-%s-%d", d.at.Format(time.DateOnly), d.Repo.ID)
	moved, err := s.Moved(ctx, d.Repo)
	if err == nil {
		if moved {
			return s.Look(ctx, cause, d.Repo)
		}
		return nil
	}
	if ctx.Err() != nil {
		return errNoTime
	}
	installation, failed := s.reach(ctx, d.Entry)
	if failed != nil {
		return failed
	}
	if installation != 0 && (errors.Is(err, ErrIdle) || installation != d.Repo.Installation) {
		d.Repo.Installation = installation // it came back, and nobody told
		return s.Look(ctx, cause, d.Repo)
	}
	zerolog.Ctx(ctx).Debug().Err(err).Str("repository", d.Repo.FullName()).Msg("the daily look found it unreadable")
	return nil
}
