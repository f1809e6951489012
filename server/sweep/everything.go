package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// everything is how far a look at every repository got. It is in memory: a process
// that takes it over begins anew, and what was looked at already is not again.
type everything struct {
	known   map[int64]bool      // installations that there are; nil: it has not begun
	listed  map[int64]bool      // those whose repositories are listed, and suspended ones
	reached map[int64]bool      // repositories that some installation reaches
	later   map[int64]time.Time // installations that GitHub limits until then
	todo    []promotion.Repo    // still to be looked at, in order
}

// sweepAll looks at every repository of every installation, while that is due.
func (s *Sweep) sweepAll(ctx context.Context) error {
	if s.duty.All.IsZero() {
		return nil
	}
	if s.all.known == nil {
		s.all = everything{known: map[int64]bool{}, listed: map[int64]bool{}, reached: map[int64]bool{}, later: map[int64]time.Time{}}
		zerolog.Ctx(ctx).Info().Msg("looking at all repositories, because nothing tells what happened meanwhile")
	}
	failed := s.listAll(ctx)
	for len(s.all.todo) > 0 {
		if err := s.breath(ctx); err != nil {
			return errors.Join(failed, err)
		}
		repo := s.all.todo[0]
		if err := s.Look(ctx, fmt.Sprintf("all-%d-%d", s.duty.All.Unix(), repo.ID), repo); err != nil {
			return errors.Join(failed, err)
		}
		s.all.todo = s.all.todo[1:]
	}
	if failed != nil {
		return failed
	}
	if err := s.forgetUnreached(ctx); err != nil {
		return err
	}
	zerolog.Ctx(ctx).Info().Int("repositories", len(s.all.reached)).Msg("all repositories were asked for a look")
	s.duty.All, s.all = time.Time{}, everything{}
	s.duty.Daily = s.Now().UTC()
	return nil
}

// listAll lists the installations that are not listed yet. One that fails holds up
// no other, and is tried in the next turn.
func (s *Sweep) listAll(ctx context.Context) error {
	installations, err := s.GitHub.Installations(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, inst := range installations {
		s.all.known[inst.ID] = true
		if s.all.listed[inst.ID] || inst.Suspended {
			s.all.listed[inst.ID] = true
			continue
		}
		repos, err := s.list(ctx, inst)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("list the repositories of %s: %w", inst.Account, err))
			continue
		}
		s.all.listed[inst.ID] = true
		for _, repo := range repos {
			s.all.reached[repo.ID] = true
		}
		s.all.todo = append(s.all.todo, repos...)
	}
	s.order(ctx)
	return failed
}

// list asks for the repositories of one installation, unless it is limited. A limit
// of its own is no reason to be quiet towards all, so that it is not passed on as one.
func (s *Sweep) list(ctx context.Context, inst ghapi.Installation) ([]promotion.Repo, error) {
	if until := s.all.later[inst.ID]; until.After(s.Now()) {
		return nil, fmt.Errorf("GitHub limits it until %s", until.UTC().Format("15:04 UTC"))
	}
	repos, err := s.GitHub.Repositories(ctx, inst.ID)
	if wait, told := promotion.WaitOf(err); told {
		s.all.later[inst.ID] = s.Now().Add(wait)
		return nil, errors.New(err.Error())
	}
	return repos, err
}

// order puts repositories with a pipeline first, then those that nobody looked at.
func (s *Sweep) order(ctx context.Context) {
	rank := func(r promotion.Repo) int {
		switch e, known := s.Store.Repo(ctx, r.ID); {
		case known && e.HasPipeline:
			return 0
		case !known:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(s.all.todo, func(a, b promotion.Repo) int { return cmp.Compare(rank(a), rank(b)) })
}

// forgetUnreached forgets repositories that no installation has any more. Of one
// whose installation is there GitHub is asked, since a list that is read in pages
// may miss what moves meanwhile. Suspended installations list nothing.
func (s *Sweep) forgetUnreached(ctx context.Context) error {
	for _, entry := range s.Store.Repos(ctx) {
		if s.all.reached[entry.Repo.ID] {
			continue
		}
		if err := s.breath(ctx); err != nil {
			return err
		}
		var err error
		if s.all.known[entry.Repo.Installation] {
			_, err = s.reach(ctx, entry)
		} else {
			err = s.Forget(ctx, entry.Repo)
		}
		if err != nil {
			return fmt.Errorf("find out whether %s is still ours: %w", entry.Repo.FullName(), err)
		}
	}
	return nil
}

// reach asks which installation reaches a repository now, and forgets it when none
// does. 0: none, or it is suspended.
func (s *Sweep) reach(ctx context.Context, entry store.Entry) (installation int64, err error) {
	id, suspended, err := s.GitHub.InstallationOf(ctx, entry.Repo)
	if err != nil || suspended {
		return 0, err
	}
	if id == 0 {
		zerolog.Ctx(ctx).Info().Str("repository", entry.Repo.FullName()).Msg("forgot a repository that the app no longer reaches")
		return 0, s.Forget(ctx, entry.Repo)
	}
	return id, nil
}
