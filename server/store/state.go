package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func stateKey(repo int64) string { return "state." + strconv.FormatInt(repo, 10) }

// Load gives the state of a repository and the revision that a Save has to name.
// ErrNone: there is none. ErrNewer: a newer version wrote it.
func (s *Store) Load(ctx context.Context, repo int64) (*promotion.State, uint64, error) {
	var state *promotion.State
	var of *base
	revision, err := s.readBy(ctx, stateKey(repo), func(head []byte) (err error) {
		state, of, err = s.stateIn(ctx, stateKey(repo), head)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, fmt.Errorf("repository %d: %w", repo, ErrNone)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("load the state of repository %d: %w", repo, err)
	}
	if state.Version > promotion.StateVersion {
		return nil, 0, fmt.Errorf("the state of repository %d has version %d: %w", repo, state.Version, ErrNewer)
	}
	state.Version = promotion.StateVersion // saved again, it is for this version's readers
	s.bases.read(repo, of, revision)
	return state, revision, nil
}

// stateIn is the state under a head, and the base that it is kept over; nil: none.
func (s *Store) stateIn(ctx context.Context, key string, head []byte) (*promotion.State, *base, error) {
	if len(head) > 2 && head[0] == valueVersion && head[1] == kindApart {
		return s.compose(ctx, key, head[2:])
	}
	data, err := s.unpack(ctx, key, head)
	if err != nil {
		return nil, nil, err
	}
	state := new(promotion.State)
	return state, nil, json.Unmarshal(data, state)
}

// Save stores the state of its repository if the stored one has the given revision
// (0: if there is none), and returns the new revision. ErrLost: another was first.
func (s *Store) Save(ctx context.Context, state *promotion.State, revision uint64) (uint64, error) {
	if state.Repo.ID <= 0 {
		return 0, fmt.Errorf("save the state of %q: it has no repository ID", state.Repo.FullName())
	}
	next, err := s.saveState(ctx, stateKey(state.Repo.ID), state, revision)
	if err != nil {
		return 0, fmt.Errorf("save the state of repository %d over revision %d: %w", state.Repo.ID, revision, err)
	}
	return next, nil
}

func (s *Store) saveState(ctx context.Context, key string, state *promotion.State, revision uint64) (uint64, error) {
	if len(state.Pipelines) >= apartFrom {
		next, err := s.saveApart(ctx, key, state, revision)
		if !errors.Is(err, errNotApart) {
			return next, err
		}
	}
	s.bases.forget(state.Repo.ID)
	data, err := json.Marshal(state)
	if err != nil {
		return 0, fmt.Errorf("write it as JSON: %w", err)
	}
	return s.swap(ctx, key, data, revision)
}

// swap stores a value if the stored one has the given revision (0: if there is
// none), and returns the new revision. ErrLost: another was first.
func (s *Store) swap(ctx context.Context, key string, data []byte, revision uint64) (uint64, error) {
	next, pieces, err := s.write(ctx, key, data, func(head []byte) (uint64, error) {
		return s.replace(ctx, key, head, revision)
	})
	if isTaken(err) {
		return 0, ErrLost
	}
	if err != nil {
		return 0, err
	}
	s.trim(ctx, key, pieces, next)
	return next, nil
}

// replace puts a head in place of the one with the given revision; 0: there is none.
func (s *Store) replace(ctx context.Context, key string, head []byte, revision uint64) (uint64, error) {
	if revision == 0 {
		return s.kv.Create(ctx, key, head)
	}
	return s.kv.Update(ctx, key, head, revision)
}
