package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/store"
	"github.com/stagecoach-app/stagecoach/server/sweep"
)

// sweep is what looks for what GitHub did not bring.
func (s *Server) sweep() *sweep.Sweep {
	return sweep.New(sweep.Options{
		Holder: rand.Text(), GitHub: s.api, Store: s.store, Every: s.SweepEvery,
		Knows: s.log.Knows, Look: s.look, Moved: s.moved, Forget: s.forget, Now: s.api.Now,
	})
}

// look appends one look at a repository, under a GUID that derives from its cause.
func (s *Server) look(ctx context.Context, cause string, repo promotion.Repo) error {
	eventType, payload := handlers.Internal(handlers.Look, repo)
	if _, err := s.log.Accept(ctx, cause, eventType, fmt.Sprintf("r%d", repo.ID), payload); err != nil {
		return fmt.Errorf("append the look at %s: %w", repo.FullName(), err)
	}
	return nil
}

// moved compares the branches that matter with what was last heard of them.
func (s *Server) moved(ctx context.Context, repo promotion.Repo) (bool, error) {
	state, _, err := s.store.Load(ctx, repo.ID)
	switch {
	case errors.Is(err, store.ErrNone):
		return true, nil
	case err != nil:
		return false, err
	case state.Repo.Idle != "" && state.Repo.Idle != "archived" && state.Repo.Idle != "fork":
		return false, fmt.Errorf("%s: %w", state.Repo.Idle, sweep.ErrIdle)
	}
	refs, err := s.repository(state.Repo).Refs(ctx)
	if err != nil {
		return false, err
	}
	if refs.Default != "" && refs.Default != state.Repo.DefaultBranch {
		return true, nil
	}
	for branch := range followed(state) {
		if refs.Heads[branch] != state.Local.Tips[branch] {
			return true, nil
		}
	}
	return false, nil
}

// followed are the branches that sources follow or stages write, and those that
// something is remembered of.
func followed(state *promotion.State) map[string]bool {
	out := map[string]bool{state.Repo.DefaultBranch: true}
	for branch := range maps.Keys(state.Local.Tips) {
		out[branch] = true
	}
	for _, p := range state.Local.Config {
		for _, stage := range p.Stages {
			out[stage.Branch] = true
		}
		for _, src := range p.Sources {
			if src.Git != nil && src.Git.Repo == "" {
				out[src.Git.Branch] = true
			}
		}
	}
	delete(out, "") // the default branch
	return out
}

// repository is the handle on a repository's git.
func (s *Server) repository(repo promotion.Repo) *gitops.Repository {
	url := fmt.Sprintf("%s/%s/%s.git", s.Settings.WebURL, repo.Owner, repo.Name)
	return s.git.Repository(repo.ID, url, func(ctx context.Context) (string, error) {
		return s.api.Token(ctx, repo.Installation)
	})
}

// forget removes what is stored of a repository that the app no longer reaches: its
// timer, its state, step records and index entry, and its clone. Of a crash before
// the last one only the clone is left, which cleanClones finds.
func (s *Server) forget(ctx context.Context, repo promotion.Repo) error {
	if err := s.log.Wake(ctx, fmt.Sprintf("r%d", repo.ID), time.Time{}); err != nil {
		return err
	}
	if err := s.store.DeleteRepo(ctx, repo.ID); err != nil {
		return err
	}
	return s.git.Forget(repo.ID)
}
