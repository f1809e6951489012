package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// errOutdated means that the record on GitHub is newer than the state at hand.
var errOutdated = errors.New("the store is older than the record on GitHub")

// compareWith compares a state that comes from the store with the record on GitHub,
// once in this process's life, before anything is decided on it. The store is never
// behind by itself, since a revision is taken there before it is written on GitHub; it
// is when somebody has put an old copy of it back. Then the record counts, as after a
// lost disk, and the inputs returned say so. While the record cannot be read for lack of
// a permission it cannot be written either: that is left to mayOverwrite.
func (l *lane) compareWith(ctx context.Context, e promotion.Event) ([]promotion.Input, error) {
	if !l.compare || l.rests(e) {
		return nil, nil
	}
	asked := *l.state
	asked.Repo = l.merged(e.Repo)
	newer, err := l.w.Ledger.Newer(ctx, &asked)
	var missing *promotion.MissingPermission
	switch {
	case errors.As(err, &missing):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("compare the state of %s with its record on GitHub: %w", l.key, err)
	case newer == nil:
		l.compare = false
		return nil, nil
	}
	return l.outdate(ctx, asked.Repo, newer)
}

// rests reports whether the repository is not worked on, so that nothing can come of an
// event.
func (l *lane) rests(e promotion.Event) bool {
	switch e.Body.(type) {
	case promotion.LetGo:
		return true
	case promotion.TakenUp, promotion.Unblocked, promotion.Renamed:
		return false
	}
	if e.Repo.DefaultBranch != "" { // a full description of the repository
		return e.Repo.Idle != ""
	}
	return l.state.Repo.Idle != ""
}

// outdate takes the record on GitHub in place of the state at hand. The revision in
// the store stays what a save must name.
func (l *lane) outdate(ctx context.Context, repo promotion.Repo, newer *promotion.State) ([]promotion.Input, error) {
	read, err := l.w.Pipelines.Read(ctx, repo, "")
	if err != nil {
		return nil, fmt.Errorf("look for pipeline files: %w", err)
	}
	if read.Branch != "" {
		repo.DefaultBranch = read.Branch
	}
	zerolog.Ctx(ctx).Warn().Str("repository", repo.FullName()).Int64("stored", l.state.Revision).Int64("revision", newer.Revision).
		Msg("the store is older than the record on GitHub, as an old copy of the data directory is: the record is taken")
	l.drain()
	l.outdated = append(promotionsOf(l.state), promotionsOf(newer)...)
	taken := *newer
	taken.Repo, taken.Local.Writer, taken.Local.Rival = repo, l.w.Writer, l.state.Local.Rival
	l.working = working{state: &taken, revision: l.revision}
	if l.w.OnOutdated != nil {
		l.w.OnOutdated(ctx)
	}
	return []promotion.Input{read, promotion.Rebuilt{}}, nil
}

func promotionsOf(s *promotion.State) []string {
	var names []string
	for _, ps := range s.Pipelines {
		for _, p := range ps.Promotions {
			names = append(names, p.Name)
		}
	}
	return names
}

// forgetOutdated drops the step records of an older store, once the state is saved that
// does not count on them. What a promotion did since they were written may differ.
func (l *lane) forgetOutdated(ctx context.Context) {
	for _, name := range l.outdated {
		l.recordsMu.Lock()
		delete(l.records, name)
		l.recordsMu.Unlock()
		if err := l.w.Store.Forget(ctx, l.repo, name); err != nil {
			zerolog.Ctx(ctx).Warn().Err(err).Str("promotion", name).Msg("step records of an older store stay behind")
		}
	}
	l.outdated = nil
}

// mayOverwrite is compareWith before the record is written, for what could not be
// compared when it was loaded. errOutdated: the record is newer.
func (l *lane) mayOverwrite(ctx context.Context) error {
	if !l.compare {
		return nil
	}
	newer, err := l.w.Ledger.Newer(ctx, l.state)
	if err != nil {
		return err
	}
	if newer != nil {
		return errOutdated
	}
	l.compare = false
	return nil
}

// beginAgain drops the state and takes the deliveries of this round once more.
func (l *lane) beginAgain() {
	l.state, l.saved = nil, nil
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inbox = append(l.taken, l.inbox...)
	l.taken = nil
}
