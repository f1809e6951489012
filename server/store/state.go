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
	data, revision, err := s.read(ctx, stateKey(repo))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, fmt.Errorf("repository %d: %w", repo, ErrNone)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("load the state of repository %d: %w", repo, err)
	}
	state := new(promotion.State)
	if err := json.Unmarshal(data, state); err != nil {
		return nil, 0, fmt.Errorf("read the state of repository %d: %w", repo, err)
	}
	if state.Version > promotion.StateVersion {
		return nil, 0, fmt.Errorf("the state of repository %d has version %d: %w", repo, state.Version, ErrNewer)
	}
	state.Version = promotion.StateVersion // saved again, it is for this version's readers
	return state, revision, nil
}

// Save stores the state of its repository if the stored one has the given revision
// (0: if there is none), and returns the new revision. ErrLost: another was first.
func (s *Store) Save(ctx context.Context, state *promotion.State, revision uint64) (uint64, error) {
	if state.Repo.ID <= 0 {
		return 0, fmt.Errorf("save the state of %q: it has no repository ID", state.Repo.FullName())
	}
	data, err := json.Marshal(state)
	if err != nil {
		return 0, fmt.Errorf("write the state of repository %d: %w", state.Repo.ID, err)
	}
	next, err := s.swap(ctx, stateKey(state.Repo.ID), data, revision)
	if err != nil {
		return 0, fmt.Errorf("save the state of repository %d over revision %d: %w", state.Repo.ID, revision, err)
	}
	return next, nil
}

// swap stores a value if the stored one has the given revision (0: if there is
// none), and returns the new revision. ErrLost: another was first.
func (s *Store) swap(ctx context.Context, key string, data []byte, revision uint64) (uint64, error) {
	next, pieces, err := s.write(ctx, key, data, func(head []byte) (uint64, error) {
		if revision == 0 {
			return s.kv.Create(ctx, key, head)
		}
		return s.kv.Update(ctx, key, head, revision)
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
