package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/palantir/go-githubapp/githubapp"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry"
	"github.com/stagecoach-app/stagecoach/server/store"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// openRegistry makes the client that asks registries and chart repositories.
func (s *Server) openRegistry(context.Context) error {
	credentials, err := registry.ReadCredentials(s.Settings.RegistryAuth)
	if err != nil {
		return fmt.Errorf("STAGECOACH_REGISTRY_AUTH %w", err)
	}
	s.registry = registry.New(registry.Options{Policy: s.policy, Credentials: credentials, UserAgent: "stagecoach/" + s.Version})
	return nil
}

// find finds a repository that the app reaches by its OWNER/NAME.
func (s *Server) find(ctx context.Context, fullName string) (promotion.Repo, bool) {
	return s.first(ctx, func(r promotion.Repo) bool { return strings.EqualFold(r.FullName(), fullName) })
}

// owned gives some repository of an owner that the app reaches.
func (s *Server) owned(ctx context.Context, owner string) (promotion.Repo, bool) {
	return s.first(ctx, func(r promotion.Repo) bool { return strings.EqualFold(r.Owner, owner) })
}

func (s *Server) first(ctx context.Context, is func(promotion.Repo) bool) (promotion.Repo, bool) {
	for _, e := range s.store.Repos(ctx) {
		if is(e.Repo) {
			return e.Repo, true
		}
	}
	return promotion.Repo{}, false
}

// known gives a repository that the app reaches by its ID.
func (s *Server) known(ctx context.Context, id int64) (promotion.Repo, bool) {
	e, ok := s.store.Repo(ctx, id)
	return e.Repo, ok
}

// watching reads pipeline files and keeps in the index what they follow elsewhere,
// before anybody acts on them: what moves from then on is heard of.
type watching struct {
	worker.Pipelines
	store *store.Store
}

func (w watching) Read(ctx context.Context, repo promotion.Repo, sha string) (promotion.ConfigRead, error) {
	read, err := w.Pipelines.Read(ctx, repo, sha)
	if err != nil {
		return read, err
	}
	has := len(read.Pipelines)+len(read.Broken) > 0
	entry, known := w.store.Repo(ctx, repo.ID)
	watches := promotion.Watches(read.Pipelines, repo)
	if len(read.Broken) > 0 { // what cannot be read is unknown: it goes on being followed
		watches = union(watches, entry.Watches)
	}
	if !known && !has || repo.ID == 0 {
		return read, nil // whoever looks notes it, with what it knows
	}
	if entry.Repo.ID == 0 {
		entry.Repo = repo
	}
	entry.HasPipeline, entry.Watches = entry.HasPipeline || has, watches
	if err := w.store.PutRepo(ctx, entry); err != nil {
		return read, fmt.Errorf("note what %s follows: %w", repo.FullName(), err)
	}
	return read, nil
}

func union(a, b []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, key := range append(a, b...) {
		if !seen[key] {
			seen[key] = true
			out = append(out, key)
		}
	}
	return out
}

// herald tells the repositories that follow a thing of a delivery about it, before
// the delivery itself is accepted: one that fails between comes again, and telling
// twice is telling once.
type herald struct {
	githubapp.Scheduler
	store  *store.Store
	accept func(ctx context.Context, guid, eventType, key string, payload []byte) (fresh bool, err error)
}

func (h herald) Schedule(ctx context.Context, d githubapp.Dispatch) error {
	if h.store.AnyWatched() {
		for _, moved := range handlers.Heard(d.EventType, d.Payload) {
			if err := h.tell(ctx, d, moved); err != nil {
				return err
			}
		}
	}
	return h.Scheduler.Schedule(ctx, d)
}

// tell appends a hint for each repository that follows what moved, but for the one
// that the delivery is from: that one gets the delivery.
func (h herald) tell(ctx context.Context, d githubapp.Dispatch, moved promotion.Moved) error {
	var own string
	for _, e := range h.store.Watching(ctx, moved.Watch) {
		if own == "" {
			own, _ = handlers.Key(d.EventType, d.Payload)
		}
		key := fmt.Sprintf("r%d", e.Repo.ID)
		if key == own {
			continue
		}
		eventType, payload := handlers.Hint(e.Repo, moved)
		if _, err := h.accept(ctx, d.DeliveryID+"/hint/"+key, eventType, key, payload); err != nil {
			return fmt.Errorf("%w: tell %s that %s moved: %w", githubapp.ErrCapacityExceeded, e.Repo.FullName(), moved.Watch, err)
		}
	}
	return nil
}
