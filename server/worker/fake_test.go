package worker_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake fills every seam of a worker, and writes down in order what happened.
type fake struct {
	mu      sync.Mutex
	said    []string
	changed chan struct{} // closed and replaced whenever something is said

	states  map[int64]*promotion.State
	rev     map[int64]uint64
	records []promotion.StepRecord
	known   map[int64]bool
	main    string              // the tip of main; empty: it has not moved yet
	config  *promotion.Pipeline // of every repository; nil: none has a pipeline

	saveErr, ledgerErr error
	newer              *promotion.State // what stands on GitHub; nil: nothing that is newer
	newerErr           error
	run                func(context.Context, promotion.Task) promotion.Result
}

func newFake(stages ...promotion.Stage) *fake {
	f := &fake{changed: make(chan struct{}), states: map[int64]*promotion.State{}, rev: map[int64]uint64{}, known: map[int64]bool{}}
	if len(stages) > 0 {
		f.config = pt.Pipeline("default", stages...)
	}
	return f
}

func (f *fake) say(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, fmt.Sprintf(format, args...))
	close(f.changed)
	f.changed = make(chan struct{})
}

// until waits until something that begins with prefix was said n times.
func (f *fake) until(t *testing.T, prefix string, n int) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		f.mu.Lock()
		got, changed, said := 0, f.changed, strings.Join(f.said, "\n")
		for _, s := range f.said {
			if strings.HasPrefix(s, prefix) {
				got++
			}
		}
		f.mu.Unlock()
		if got >= n {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("waited in vain for %q:\n%s", prefix, said)
		}
	}
}

func (f *fake) all() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.said, "\n")
}

func (f *fake) fail(save, ledger error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.saveErr, f.ledgerErr = save, ledger
}

func (f *fake) start(t *testing.T) *worker.Worker {
	t.Helper()
	w, err := worker.New(t.Context(), worker.Options{
		Log: f, Store: f, Ledger: book{f}, Pipelines: f, Runner: f, Translate: f.translate,
		Internal: func(name string, repo promotion.Repo) (string, []byte) {
			return "stagecoach." + name, []byte(repo.Name)
		},
		OnOutdated: func(context.Context) { f.say("outdated") },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Stop(gone()) })
	return w
}

// gone is a context that has ended.
func gone() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// translate knows a handful of deliveries: push:NAME, config:BEFORE-NAME, look, bad, suspend.
func (f *fake) translate(eventType, guid string, payload []byte) ([]promotion.Event, error) {
	repo := pt.Repo
	switch kind, rest, _ := strings.Cut(eventType, ":"); kind {
	case "push":
		e := pt.Push(pt.SHA(rest))
		e.Cause, e.At = guid, later()
		f.move(pt.SHA(rest))
		return []promotion.Event{e}, nil
	case "config": // a push that touches a pipeline file: config:BEFORE-NAME
		before, name, _ := strings.Cut(rest, "-")
		e := pt.PushOn(pt.SHA(before), pt.SHA(name))
		e.At = later()
		f.move(pt.SHA(name))
		body := e.Body.(promotion.Pushed)
		body.Commits[0].Paths = []string{".github/stagecoach.yml"}
		return []promotion.Event{e}, nil
	case "look":
		return []promotion.Event{{Repo: repo, Cause: guid, Body: promotion.TakenUp{}}}, nil
	case "comment":
		e := pt.Comment(9, pt.Start, "/help")
		e.Cause = guid
		return []promotion.Event{e}, nil
	case "letgo":
		return []promotion.Event{{Repo: promotion.Repo{ID: repo.ID}, Cause: guid, Body: promotion.LetGo{Reason: "taken out"}}}, nil
	case "wake":
		return []promotion.Event{{Repo: promotion.Repo{ID: repo.ID}, Cause: guid, Body: promotion.Woke{}}}, nil
	case "unblock":
		return []promotion.Event{{Repo: repo, Cause: guid, Body: promotion.Unblocked{}}}, nil
	case "suspend":
		return []promotion.Event{{Repo: promotion.Repo{Installation: 7}, Body: promotion.LetGo{Reason: "suspended"}}}, nil
	case "bad":
		return nil, errors.New("not JSON")
	}
	return nil, nil
}

func (f *fake) Accept(_ context.Context, guid, eventType, key string, payload []byte) error {
	f.say("accept %s %s %s %s", guid, eventType, key, payload)
	return nil
}
func (f *fake) Done(_ context.Context, d worker.Delivery) error { f.say("done %s", d.GUID); return nil }
func (f *fake) Retry(_ context.Context, d worker.Delivery, after time.Duration, reason string) error {
	f.say("retry %s after %s: %s", d.GUID, after, reason)
	return nil
}
func (f *fake) SetAside(_ context.Context, d worker.Delivery, reason string) error {
	f.say("aside %s: %s", d.GUID, reason)
	return nil
}
func (f *fake) Wake(_ context.Context, key string, at time.Time) error {
	f.say("wake %s in %s", key, time.Until(at).Round(time.Second))
	return nil
}

func (f *fake) Load(_ context.Context, repo int64) (*promotion.State, uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.states[repo] == nil {
		return nil, 0, nil
	}
	raw, _ := json.Marshal(f.states[repo])
	var s promotion.State
	return &s, f.rev[repo], json.Unmarshal(raw, &s)
}

func (f *fake) Save(_ context.Context, s *promotion.State, revision uint64) (uint64, error) {
	f.mu.Lock()
	err := f.saveErr
	if err == nil && f.rev[s.Repo.ID] != revision {
		err = errors.New("another writer was first")
	}
	if err == nil {
		f.states[s.Repo.ID] = s
		f.rev[s.Repo.ID]++
	}
	rev := f.rev[s.Repo.ID]
	f.mu.Unlock()
	if err == nil {
		f.say("save %d pending=%d", rev, len(s.Local.Pending))
	}
	return rev, err
}

func (f *fake) Record(_ context.Context, _ int64, rec promotion.StepRecord) error {
	f.say("record %d", rec.Step)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records = append(f.records, rec)
	return nil
}

func (f *fake) Records(_ context.Context, _ int64, name string, attempt int) (out []promotion.StepRecord, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.records {
		if r.Promotion == name && r.Attempt == attempt {
			out = append(out, r)
		}
	}
	return out, nil
}

func (f *fake) Forget(_ context.Context, _ int64, name string) error {
	f.say("forget %s", name)
	return nil
}

func (f *fake) Known(_ context.Context, repo int64) (hasPipeline, known bool, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	hasPipeline, known = f.known[repo]
	return
}

func (f *fake) Note(_ context.Context, repo promotion.Repo, hasPipeline bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[repo.ID] = hasPipeline
	return nil
}

func (f *fake) OfInstallation(context.Context, int64) ([]promotion.Repo, error) {
	return []promotion.Repo{{ID: 1, Name: "gitops"}, {ID: 2, Name: "other"}}, nil
}

// book is the ledger of a fake.
type book struct{ *fake }

func (b book) Load(context.Context, promotion.Repo) (*promotion.State, error) { return nil, nil }

func (b book) Newer(_ context.Context, s *promotion.State) (*promotion.State, error) {
	b.mu.Lock()
	newer, err := b.newer, b.newerErr
	b.mu.Unlock()
	b.say("compare %d", s.Revision)
	if err != nil || newer == nil || newer.Revision <= s.Revision {
		return nil, err
	}
	return newer, nil
}

func (b book) Hash(s *promotion.State) (string, error) {
	shown := *s
	shown.Local, shown.Revision, shown.Issue = promotion.Local{}, 0, 0
	raw, err := json.Marshal(shown)
	return string(raw), err
}

func (b book) Save(_ context.Context, s *promotion.State, _ bool) (worker.LedgerAt, error) {
	b.mu.Lock()
	err := b.ledgerErr
	b.mu.Unlock()
	if s.Repo.NoIssues {
		b.say("ledger %d in a check run", s.Revision)
		return worker.LedgerAt{Issue: s.Issue, Check: promotion.LedgerCheck{ID: 9, SHA: s.Local.Tips["main"]}}, nil
	}
	if err != nil {
		b.say("ledger refused")
		return worker.LedgerAt{}, err
	}
	b.say("ledger %d", s.Revision)
	return worker.LedgerAt{Issue: 1}, nil
}

func (f *fake) Read(_ context.Context, repo promotion.Repo, sha string) (promotion.ConfigRead, error) {
	f.say("read config of %s at %s", repo.Name, cmp.Or(sha, "the tip"))
	in := promotion.ConfigRead{SHA: sha, Branch: "main"}
	if sha == "" {
		in.Tips = map[string]string{"main": f.tip()}
	}
	if f.config != nil {
		in.Pipelines = map[string]*promotion.Pipeline{"default": f.config}
	}
	return in, nil
}

// later is after any look at a tip that these tests make before.
func later() time.Time { return time.Now().Add(time.Minute) }

// move leaves main at a commit.
func (f *fake) move(to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.main = to
}

// tip is where main is.
func (f *fake) tip() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return cmp.Or(f.main, pt.SHA("main"))
}

// newest is the artifact of the tip, unless that is known already.
func (f *fake) newest(e promotion.Effect) promotion.Result {
	tip := f.tip()
	r := promotion.Result{Tip: tip}
	if tip != e.SHA {
		r.Artifact = &promotion.Artifact{Source: e.Source, Kind: "git", Repo: pt.Repo.FullName(), Branch: "main", Commit: tip}
	}
	return r
}

func (f *fake) Run(ctx context.Context, t promotion.Task) promotion.Result {
	f.say("run %s", t.Effect.ID)
	if f.run != nil {
		if r := f.run(ctx, t); r.Err != nil || r.Phase != "" {
			return r
		}
	}
	r := promotion.Result{Phase: promotion.StepSucceeded}
	if t.Effect.Kind == promotion.KindSource {
		return f.newest(t.Effect)
	}
	if t.Step == nil {
		return r
	}
	switch t.Step.Uses {
	case "git-commit":
		r.Commit = pt.SHA(t.Promotion.Name)
	case "git-push":
		r.Pushed, r.Landed = "main", pt.SHA(t.Promotion.Name)
	}
	return r
}
