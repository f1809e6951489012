package store

import (
	"cmp"
	"context"
	"slices"
)

// Watching gives the entries of the repositories whose pipelines follow a thing,
// from memory, by ID. key is one of promotion.Source.Watch.
func (s *Store) Watching(_ context.Context, key string) []Entry {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	var list []Entry
	for id := range s.index.watchers[key] {
		list = append(list, s.index.entries[id])
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Repo.ID, b.Repo.ID) })
	return list
}

// AnyWatched reports whether any pipeline follows anything that its own repository's
// pushes do not tell of.
func (s *Store) AnyWatched() bool {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	return len(s.index.watchers) > 0
}

// watch brings what an entry follows up to date; the caller holds the lock.
func (x *index) watch(id int64, before, now []string) {
	for _, key := range before {
		if delete(x.watchers[key], id); len(x.watchers[key]) == 0 {
			delete(x.watchers, key)
		}
	}
	for _, key := range now {
		if x.watchers[key] == nil {
			x.watchers[key] = map[int64]bool{}
		}
		x.watchers[key][id] = true
	}
}

// same reports whether two entries say the same.
func (e Entry) same(o Entry) bool {
	return e.Repo == o.Repo && e.HasPipeline == o.HasPipeline && e.LookedAt == o.LookedAt && slices.Equal(e.Watches, o.Watches)
}
