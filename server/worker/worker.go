package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Delivery is one event of the log.
type Delivery struct {
	GUID    string
	Type    string // GitHub's name of the event, or one of our own
	Key     string // "r<repository>", "i<installation>"
	Payload []byte
	Tries   int // earlier tries that failed
	Ref     any // the log's own handle of it
}

// Log is the durable event log.
type Log interface {
	Accept(ctx context.Context, guid, eventType, key string, payload []byte) error
	Done(ctx context.Context, d Delivery) error
	Retry(ctx context.Context, d Delivery, after time.Duration, reason string) error
	SetAside(ctx context.Context, d Delivery, reason string) error
	// Wake replaces the lane's timer; the zero time takes it back.
	Wake(ctx context.Context, key string, at time.Time) error
}

// Store holds working copies, with compare-and-swap.
type Store interface {
	// Load returns nil and revision 0 when there is no state.
	Load(ctx context.Context, repo int64) (*promotion.State, uint64, error)
	Save(ctx context.Context, s *promotion.State, revision uint64) (uint64, error)
	Record(ctx context.Context, repo int64, rec promotion.StepRecord) error
	Records(ctx context.Context, repo int64, promotion string, attempt int) ([]promotion.StepRecord, error)
	Forget(ctx context.Context, repo int64, promotion string) error
	Known(ctx context.Context, repo int64) (hasPipeline, known bool, err error)
	Note(ctx context.Context, repo promotion.Repo, hasPipeline bool) error
	OfInstallation(ctx context.Context, installation int64) ([]promotion.Repo, error)
}

// LedgerAt is where the ledger stands: in the tracking issue, or in a check run.
type LedgerAt struct {
	Issue int                   // as it is, also while the ledger is in a check run
	Check promotion.LedgerCheck // zero: it is in the issue
}

// Ledger is the durable record in GitHub.
type Ledger interface {
	// Load returns nil when there is none.
	Load(ctx context.Context, repo promotion.Repo) (*promotion.State, error)
	// Newer returns the record if its revision is higher than that of s, which comes from
	// the store; nil: it is not, or there is none that is valid.
	Newer(ctx context.Context, s *promotion.State) (*promotion.State, error)
	// Hash identifies what would be written: an unchanged one costs no write.
	Hash(s *promotion.State) (string, error)
	// Save writes it and returns where it stands. look: an earlier answer is missing, so
	// an issue or check run may be there that State does not know. promotion.ErrIssuesOff
	// says that it belongs into a check run, though State does not say so.
	Save(ctx context.Context, s *promotion.State, look bool) (LedgerAt, error)
}

// Pipelines reads the pipeline files.
type Pipelines interface {
	// Read reads them at a commit of the default branch; "": at its tip now.
	Read(ctx context.Context, repo promotion.Repo, sha string) (promotion.ConfigRead, error)
}

// Runner runs effects, by their kind.
type Runner interface {
	Run(ctx context.Context, t promotion.Task) promotion.Result
}

// Options are what a Worker works with. All but the last ones are required.
type Options struct {
	Log       Log
	Store     Store
	Ledger    Ledger
	Pipelines Pipelines
	Runner    Runner
	// Translate turns a delivery into events.
	Translate func(eventType, guid string, payload []byte) ([]promotion.Event, error)
	// Internal makes a delivery of our own: "look", "unblock", "letgo".
	Internal func(name string, repo promotion.Repo) (eventType string, payload []byte)
	// Describe completes what is known of a repository that is taken up; nil:
	// payloads are enough.
	Describe func(ctx context.Context, repo promotion.Repo) (promotion.Repo, error)
	WebURL   string // of GitHub, for expressions
	// Insert fits what an expression gave into the text of a step that people read; nil:
	// it stays as it is.
	Insert func(uses, key, before, after, value string) string
	Writer string // of tracking issues, see promotion.Local.Writer; empty: nobody tells two servers apart

	Now func() time.Time // nil: time.Now
	// Keep is how many states stay in memory after their lanes have ended; 0: 1,000.
	Keep int
	// EffectTimeout bounds one effect; 0: two minutes.
	EffectTimeout time.Duration
	// OnState is called after each saved state, from the lane's goroutine; nil: nobody listens.
	OnState func(before, after *promotion.State)
	// OnOutdated is called when the store is found to be older than a record on GitHub, from
	// the lane's goroutine: what else it holds may be old, too. nil: nobody listens.
	OnOutdated func(ctx context.Context)
}

// Worker holds the lanes.
type Worker struct {
	Options
	ctx   context.Context // of all that lanes do
	cut   context.CancelFunc
	quiet context.Context // ends first: no lane begins anything after that
	hush  context.CancelFunc
	wg    sync.WaitGroup
	mu    sync.Mutex
	lanes map[string]*lane
	kept  *memory
}

// New makes a worker. Its lanes end at Stop, or at once when ctx ends.
func New(ctx context.Context, opts Options) (*Worker, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Keep == 0 {
		opts.Keep = 1000
	}
	if opts.EffectTimeout == 0 {
		opts.EffectTimeout = 2 * time.Minute
	}
	kept, err := newMemory(opts.Keep)
	if err != nil {
		return nil, fmt.Errorf("keep %d states in memory: %w", opts.Keep, err)
	}
	w := &Worker{Options: opts, lanes: map[string]*lane{}, kept: kept}
	w.ctx, w.cut = context.WithCancel(ctx)
	w.quiet, w.hush = context.WithCancel(w.ctx)
	return w, nil
}

// Deliver hands a delivery to its lane, in order, and returns at once.
func (w *Worker) Deliver(d Delivery) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopping() {
		return // it stays in the log, and comes again
	}
	l := w.lanes[d.Key]
	if l == nil {
		l = newLane(w, d.Key)
		w.lanes[d.Key] = l
		w.wg.Go(l.run)
	}
	l.push(d)
}

// Stop begins nothing any more, waits for the effects under way until ctx ends, then
// cuts them off, and returns when all lanes have ended. The error, which is that of ctx,
// says that something was cut off. What was not finished is taken up again from the log
// and the store; of what was finished, steps are not run again, and effects on GitHub are
// looked for.
func (w *Worker) Stop(ctx context.Context) (err error) {
	w.mu.Lock()
	w.hush()
	w.mu.Unlock()
	over := make(chan struct{})
	go func() { w.wg.Wait(); close(over) }()
	select {
	case <-over:
	case <-ctx.Done():
		err = ctx.Err()
	}
	w.cut()
	<-over
	return err
}

// stopping reports whether nothing may begin any more.
func (w *Worker) stopping() bool { return w.quiet.Err() != nil }

// end takes a lane that has nothing to do out of the worker, unless a delivery
// just came.
func (w *Worker) end(l *lane) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.waiting() && !w.stopping() {
		return false
	}
	delete(w.lanes, l.key)
	return true
}
