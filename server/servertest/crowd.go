package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/engine"
	"github.com/stagecoach-app/stagecoach/server/eventlog"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// noInstallation is one that GitHub does not know.
const noInstallation = 1

// Crowd writes repositories into the store of the server, which is stopped: copies of
// the world's own one, with its promotions, the records of their steps and a timer,
// under the IDs given. The simulated GitHub has none of them, nor the installation that
// they are of: nothing of theirs is compared with GitHub.
func (w *World) Crowd(ids []int64) {
	w.TB.Helper()
	w.withStores(func(ctx context.Context, s *store.Store, l *eventlog.Log) {
		entry, known := s.Repo(ctx, w.Repo.ID)
		state, _, err := s.Load(ctx, w.Repo.ID)
		if err != nil || !known {
			w.TB.Fatalf("the repository that is to be copied: known %v, %v", known, err)
		}
		raw, err := json.Marshal(state)
		w.must(err)
		key, links := w.LedgerKey(), ledger.Links{WebURL: w.Sim.URL()}
		w.each(ids, func(id int64) error {
			copied := new(promotion.State)
			if err := json.Unmarshal(raw, copied); err != nil {
				return err
			}
			e := entry
			e.Repo.ID, e.Repo.Name, e.Repo.Installation = id, fmt.Sprint("copy-", id), noInstallation
			copied.Repo.ID, copied.Repo.Name, copied.Repo.Installation = e.Repo.ID, e.Repo.Name, e.Repo.Installation
			hash, err := ledger.Hash(copied.Answered(), key, links)
			if err != nil {
				return err
			}
			copied.Local.Written = hash // nothing is to be written of it
			if err := s.PutRepo(ctx, e); err != nil {
				return err
			}
			if _, err := s.Save(ctx, copied, 0); err != nil {
				return err
			}
			if err := copyRecords(ctx, s, w.Repo.ID, copied); err != nil {
				return err
			}
			return l.Wake(ctx, fmt.Sprint("r", id), time.Now().Add(24*time.Hour))
		})
	})
}

// copyRecords copies what the steps of a repository's live promotions wrote.
func copyRecords(ctx context.Context, s *store.Store, from int64, to *promotion.State) error {
	for _, pipeline := range to.Pipelines {
		for _, p := range pipeline.Promotions {
			if p.Phase.Terminal() {
				continue
			}
			records, err := s.Records(ctx, from, p.Name, p.Replays)
			if err != nil {
				return err
			}
			for _, r := range records {
				if err := s.Record(ctx, to.Repo.ID, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Strangers writes repositories without a pipeline into the store of the server,
// which is stopped, under the IDs given.
func (w *World) Strangers(ids []int64) {
	w.TB.Helper()
	w.withStores(func(ctx context.Context, s *store.Store, _ *eventlog.Log) {
		w.each(ids, func(id int64) error {
			return s.PutRepo(ctx, store.Entry{
				Repo:     promotion.Repo{ID: id, Owner: "acme", Name: fmt.Sprint("stranger-", id), DefaultBranch: "main", Installation: w.Install},
				LookedAt: "looked at",
			})
		})
	})
}

// partitions of the event log of each world. A start makes or finds each of them, which
// was most of what starts cost.
const partitions = 4

// fewPartitions makes the event log of a server that was never started.
func (w *World) fewPartitions() {
	w.TB.Helper()
	ctx := context.Background()
	e, err := engine.Open(ctx, engine.Options{Dir: w.DataDir})
	w.must(err)
	defer func() { w.must(e.Close()) }()
	l, err := eventlog.Open(ctx, e.JetStream(), eventlog.Options{Alone: true, Partitions: partitions})
	w.must(err)
	l.Close(ctx)
}

// withStores opens what the stopped server keeps.
func (w *World) withStores(f func(context.Context, *store.Store, *eventlog.Log)) {
	w.TB.Helper()
	ctx := context.Background()
	e, err := engine.Open(ctx, engine.Options{Dir: w.DataDir})
	w.must(err)
	defer func() { _ = e.Close() }()
	s, err := store.Open(ctx, e.JetStream(), store.Options{})
	w.must(err)
	defer s.Close()
	l, err := eventlog.Open(ctx, e.JetStream(), eventlog.Options{Alone: true, Intake: filepath.Join(w.DataDir, "intake")})
	w.must(err)
	defer l.Close(ctx)
	f(ctx, s, l)
}

// Logged are those of the GUIDs that the event log of the stopped server has, in any place.
func (w *World) Logged(guids ...string) (found []string) {
	w.TB.Helper()
	w.withStores(func(ctx context.Context, _ *store.Store, l *eventlog.Log) {
		for _, guid := range guids {
			knows, err := l.Knows(ctx, guid)
			w.must(err)
			if knows {
				found = append(found, guid)
			}
		}
	})
	return found
}

// each does something for each ID, some at a time, and ends the test on an error.
func (w *World) each(ids []int64, do func(id int64) error) {
	w.TB.Helper()
	var all sync.WaitGroup
	errs := make(chan error, len(ids))
	slots := make(chan struct{}, 16)
	for _, id := range ids {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if err := do(id); err != nil {
				errs <- fmt.Errorf("repository %d: %w", id, err)
			}
		})
	}
	all.Wait()
	close(errs)
	w.must(<-errs)
}

// Mates are n IDs of repositories, from the given one on, whose lanes are on the same
// partition of the event log as that of the repository, or with others on any.
func Mates(of int64, from int64, n int, others bool) []int64 {
	same := eventlog.PartitionOf(fmt.Sprint("r", of), partitions)
	var ids []int64
	for id := from; len(ids) < n; id++ {
		if id != of && (others || eventlog.PartitionOf(fmt.Sprint("r", id), partitions) == same) {
			ids = append(ids, id)
		}
	}
	return ids
}
