package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Entry is what is known of a repository that the app can see.
type Entry struct {
	Repo        promotion.Repo `json:"repo"`
	HasPipeline bool           `json:"hasPipeline,omitempty"`
	LookedAt    string         `json:"lookedAt,omitempty"` // commit of the default branch at the last look; empty: not looked at
	Watches     []string       `json:"watches,omitempty"`  // what its pipelines follow, see promotion.Watches
}

// index is all entries, by repository ID. Revisions outlive their entries, so that
// an older write that is heard of late changes nothing.
type index struct {
	mu        sync.RWMutex
	entries   map[int64]Entry
	revisions map[int64]uint64
	watchers  map[string]map[int64]bool // what is followed → by which repositories
}

func repoKey(id int64) string { return "repo." + strconv.FormatInt(id, 10) }

// PutRepo stores an entry. One that is there already costs no write.
func (s *Store) PutRepo(ctx context.Context, e Entry) error {
	if e.Repo.ID <= 0 {
		return fmt.Errorf("index the repository %q: it has no ID", e.Repo.FullName())
	}
	if old, ok := s.Repo(ctx, e.Repo.ID); ok && old.same(e) {
		return nil
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("index repository %d: %w", e.Repo.ID, err)
	}
	revision, err := s.kv.Put(ctx, repoKey(e.Repo.ID), data)
	if err != nil {
		return fmt.Errorf("index repository %d: %w", e.Repo.ID, err)
	}
	s.index.put(e.Repo.ID, &e, revision)
	return nil
}

// Repo gives the entry of a repository, from memory; false: there is none.
func (s *Store) Repo(_ context.Context, id int64) (Entry, bool) {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	e, ok := s.index.entries[id]
	return e, ok
}

// Repos gives all entries, from memory, by ID.
func (s *Store) Repos(context.Context) []Entry {
	return s.index.list(func(Entry) bool { return true })
}

// Installation gives the entries that the credentials of an installation reach,
// from memory, by ID.
func (s *Store) Installation(_ context.Context, id int64) []Entry {
	return s.index.list(func(e Entry) bool { return e.Repo.Installation == id })
}

// DeleteRepo removes a repository from the index, and all else that is stored of it.
func (s *Store) DeleteRepo(ctx context.Context, id int64) error {
	key := stateKey(id)
	s.bases.forget(id)
	err := errors.Join(s.purge(ctx, key), s.purge(ctx, key+".p.>"), s.purge(ctx, fmt.Sprintf("step.%d.>", id)))
	if err != nil {
		return fmt.Errorf("forget repository %d: %w", id, err)
	}
	if _, known := s.Repo(ctx, id); !known {
		return nil
	}
	if err := s.kv.Purge(ctx, repoKey(id), jetstream.PurgeTTL(markerFor)); err != nil {
		return fmt.Errorf("remove repository %d from the index: %w", id, err)
	}
	s.index.put(id, nil, s.index.revision(id)+1) // the watch brings the mark's own, which is no lower
	return nil
}

// openIndex reads the index into memory and follows what others write.
func (s *Store) openIndex(ctx context.Context) error {
	s.index = index{entries: map[int64]Entry{}, revisions: map[int64]uint64{}, watchers: map[string]map[int64]bool{}}
	watcher, err := s.kv.Watch(context.WithoutCancel(ctx), repoKey(0)[:len("repo.")]+"*")
	if err != nil {
		return fmt.Errorf("watch the index of repositories: %w", err)
	}
	s.watcher = watcher
	read := make(chan struct{})
	log := zerolog.Ctx(ctx)
	s.watched.Go(func() { s.follow(log, read) })
	select {
	case <-read:
		return nil
	case <-ctx.Done():
		s.Close()
		return fmt.Errorf("read the index of repositories: %w", ctx.Err())
	}
}

// follow takes over what the watch brings. It closes read at the end of what was
// stored before, which the watch marks by nil.
func (s *Store) follow(log *zerolog.Logger, read chan<- struct{}) {
	for u := range s.watcher.Updates() {
		if u == nil {
			if read != nil {
				close(read)
			}
			read = nil
			continue
		}
		if err := s.index.apply(u); err != nil {
			log.Error().Err(err).Str("key", u.Key()).Msg("An entry of the index of repositories cannot be read")
		}
	}
}

func (x *index) apply(u jetstream.KeyValueEntry) error {
	id, err := strconv.ParseInt(strings.TrimPrefix(u.Key(), "repo."), 10, 64)
	if err != nil {
		return err
	}
	if u.Operation() != jetstream.KeyValuePut {
		x.put(id, nil, u.Revision())
		return nil
	}
	var e Entry
	if err := json.Unmarshal(u.Value(), &e); err != nil {
		return err
	}
	x.put(id, &e, u.Revision())
	return nil
}

// put sets an entry (nil: removes it) unless a newer revision is known.
func (x *index) put(id int64, e *Entry, revision uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if revision < x.revisions[id] {
		return
	}
	x.revisions[id] = revision
	if e == nil {
		x.watch(id, x.entries[id].Watches, nil)
		delete(x.entries, id)
		return
	}
	x.watch(id, x.entries[id].Watches, e.Watches)
	x.entries[id] = *e
}

func (x *index) revision(id int64) uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.revisions[id]
}

func (x *index) list(want func(Entry) bool) []Entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var list []Entry
	for _, e := range x.entries {
		if want(e) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Repo.ID, b.Repo.ID) })
	return list
}
