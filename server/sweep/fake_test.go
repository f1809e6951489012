package sweep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// fake is a GitHub, a store and an event log in memory. Its tests run in a bubble,
// where time passes at once, and one goroutine at a time touches it.
type fake struct {
	t     *testing.T
	start time.Time

	attempts  []ghapi.Attempt // oldest first
	lists     []time.Time     // when the failed ones were listed
	resent    []string        // "GUID after" for each redelivery
	refuse    func(guid string) error
	onResend  func(a ghapi.Attempt)
	listErr   error
	installed map[int64][]promotion.Repo
	suspended map[int64]bool
	broken    map[int64]bool      // installations whose list fails
	limited   map[int64]time.Time // those that GitHub limits until then
	listed    []int64             // installations whose list was asked for
	asked     []int64             // InstallationOf

	memo     []byte
	revision uint64
	repos    map[int64]store.Entry
	known    map[string]bool

	looked    []string // "cause" in order
	lookedAt  []time.Time
	moved     map[int64]bool
	unread    map[int64]error
	forgotten []int64
}

func newFake(t *testing.T) *fake {
	return &fake{
		t: t, start: time.Now(), installed: map[int64][]promotion.Repo{}, suspended: map[int64]bool{}, broken: map[int64]bool{},
		repos: map[int64]store.Entry{}, known: map[string]bool{}, moved: map[int64]bool{}, unread: map[int64]error{},
	}
}

func (f *fake) FailedAttempts(_ context.Context, since time.Time) ([]ghapi.Attempt, error) {
	f.lists = append(f.lists, time.Now())
	if f.listErr != nil {
		return nil, f.listErr
	}
	var out []ghapi.Attempt
	for _, a := range slices.Backward(f.attempts) {
		if !a.At.Before(since) && !a.At.After(time.Now()) {
			out = append(out, a)
		}
	}
	return out, nil
}

func (f *fake) Redeliver(_ context.Context, id int64) error {
	i := slices.IndexFunc(f.attempts, func(a ghapi.Attempt) bool { return a.ID == id })
	if i < 0 {
		return ghapi.ErrNotRedeliverable
	}
	a := f.attempts[i]
	if f.refuse != nil {
		if err := f.refuse(a.GUID); err != nil {
			return err
		}
	}
	f.resent = append(f.resent, fmt.Sprintf("%s %s", a.GUID, time.Since(f.start).Round(time.Second)))
	if f.onResend != nil {
		f.onResend(a)
	}
	return nil
}

func (f *fake) Installations(context.Context) ([]ghapi.Installation, error) {
	var out []ghapi.Installation
	for _, id := range slices.Sorted(maps.Keys(f.installed)) {
		out = append(out, ghapi.Installation{ID: id, Account: fmt.Sprint("account ", id), Suspended: f.suspended[id]})
	}
	return out, nil
}

func (f *fake) Repositories(_ context.Context, id int64) ([]promotion.Repo, error) {
	f.listed = append(f.listed, id)
	if wait := time.Until(f.limited[id]); wait > 0 {
		return nil, promotion.RetryAfter(wait, errors.New("GitHub limits our requests"))
	}
	if f.broken[id] {
		return nil, errors.New("GitHub does not answer")
	}
	return f.installed[id], nil
}

func (f *fake) InstallationOf(_ context.Context, repo promotion.Repo) (int64, bool, error) {
	f.asked = append(f.asked, repo.ID)
	for id, repos := range f.installed {
		if slices.ContainsFunc(repos, func(r promotion.Repo) bool { return r.ID == repo.ID }) {
			return id, f.suspended[id], nil
		}
	}
	return 0, false, nil
}

func (f *fake) Memo(context.Context, string) ([]byte, uint64, error) { return f.memo, f.revision, nil }

func (f *fake) SetMemo(_ context.Context, _ string, value []byte, revision uint64) (uint64, error) {
	if revision != f.revision {
		return 0, store.ErrLost
	}
	f.memo, f.revision = value, f.revision+1
	return f.revision, nil
}

func (f *fake) Repo(_ context.Context, id int64) (store.Entry, bool) {
	e, ok := f.repos[id]
	return e, ok
}

func (f *fake) Repos(context.Context) []store.Entry {
	var out []store.Entry
	for _, e := range f.repos {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b store.Entry) int { return int(a.Repo.ID - b.Repo.ID) })
	return out
}

// sweep is one process on the fake.
func (f *fake) sweep(holder string) *Sweep {
	return New(Options{
		Holder: holder, GitHub: f, Store: f,
		Knows: func(_ context.Context, guid string) (bool, error) { return f.known[guid], nil },
		Look: func(_ context.Context, cause string, _ promotion.Repo) error {
			f.looked, f.lookedAt = append(f.looked, cause), append(f.lookedAt, time.Now())
			return nil
		},
		Moved: func(_ context.Context, r promotion.Repo) (bool, error) { return f.moved[r.ID], f.unread[r.ID] },
		Forget: func(_ context.Context, r promotion.Repo) error {
			f.forgotten = append(f.forgotten, r.ID)
			delete(f.repos, r.ID)
			return nil
		},
	})
}

// run lets a process sweep for a time.
func (f *fake) run(s *Sweep, d time.Duration) {
	ctx, cancel := context.WithTimeout(f.t.Context(), d)
	defer cancel()
	s.Run(ctx)
}

// settled is a fake whose process has looked at everything already.
func settled(t *testing.T) (*fake, *Sweep) {
	f := newFake(t)
	s := f.sweep("one")
	f.run(s, time.Second)
	f.start, f.lists = time.Now(), nil
	return f, s
}

var nextID int64 = 100

// fails adds a failed attempt that was made now.
func (f *fake) fails(guid string, repo int64) {
	nextID++
	f.attempts = append(f.attempts, ghapi.Attempt{ID: nextID, GUID: guid, At: time.Now(), Installation: 1, Repository: repo})
}

func (f *fake) pipeline(id, installation int64) promotion.Repo {
	repo := promotion.Repo{ID: id, Owner: "acme", Name: fmt.Sprint("r", id), Installation: installation}
	f.repos[id] = store.Entry{Repo: repo, HasPipeline: true}
	f.installed[installation] = append(f.installed[installation], repo)
	return repo
}
