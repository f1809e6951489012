package sweep

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// GitHub is what is asked of it.
type GitHub interface {
	FailedAttempts(ctx context.Context, since time.Time) ([]ghapi.Attempt, error)
	Redeliver(ctx context.Context, attempt int64) error
	Installations(ctx context.Context) ([]ghapi.Installation, error)
	Repositories(ctx context.Context, installation int64) ([]promotion.Repo, error)
	InstallationOf(ctx context.Context, repo promotion.Repo) (id int64, suspended bool, err error)
}

// Store has the memo and the index of repositories.
type Store interface {
	Memo(ctx context.Context, name string) (value []byte, revision uint64, err error)
	SetMemo(ctx context.Context, name string, value []byte, revision uint64) (uint64, error)
	Repo(ctx context.Context, id int64) (store.Entry, bool)
	Repos(ctx context.Context) []store.Entry
}

// ErrIdle is what Moved returns for a repository that was let go of.
var ErrIdle = errors.New("the app was told that it no longer reaches the repository")

// Options are what a Sweep works with. The first seven are required.
type Options struct {
	Holder string // names this process among those that share the store
	GitHub GitHub
	Store  Store
	// Knows reports whether the event log has a delivery.
	Knows func(ctx context.Context, guid string) (bool, error)
	// Look appends one look at a repository. The same cause does it once.
	Look func(ctx context.Context, cause string, repo promotion.Repo) error
	// Moved compares a repository with what is known of it, at no counted request.
	Moved func(ctx context.Context, repo promotion.Repo) (bool, error)
	// Forget removes all that is stored of a repository.
	Forget func(ctx context.Context, repo promotion.Repo) error

	Every     time.Duration    // between two lists of failed deliveries; 0: a minute
	Window    time.Duration    // how far back GitHub sends again; 0: 3 days, as github.com
	PerSecond int              // how many repositories are looked at a second, at most; 0: 20
	Now       func() time.Time // nil: time.Now
}

// Sweep is one process's part of it.
type Sweep struct {
	Options
	duty     duty
	revision uint64 // of the memo that holds the duty
	pace     *rate.Limiter
	quiet    time.Time // no request before it: GitHub said so

	failed failures
	all    everything
}

// New makes a Sweep. It does nothing before Run.
func New(o Options) *Sweep {
	if o.Every == 0 {
		o.Every = time.Minute
	}
	if o.Window == 0 {
		o.Window = 3 * 24 * time.Hour
	}
	if o.PerSecond == 0 {
		o.PerSecond = 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Sweep{Options: o, pace: rate.NewLimiter(rate.Limit(o.PerSecond), o.PerSecond)}
	s.forgetProgress()
	return s
}

// Run sweeps until ctx ends, whenever the duty is this process's.
func (s *Sweep) Run(ctx context.Context) {
	for ctx.Err() == nil {
		began := s.Now()
		wait := s.Every / 4
		if s.turn(ctx) {
			wait = s.Every - s.Now().Sub(began)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	s.release(context.WithoutCancel(ctx))
}

// turn does what is due now, and reports whether the duty is ours.
func (s *Sweep) turn(ctx context.Context) bool {
	held, err := s.claim(ctx)
	if err != nil && ctx.Err() == nil {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("the sweep could not find out whose turn it is; it tries again")
	}
	if !held {
		return false
	}
	// The duty must not run out while it is done.
	work, cancel := context.WithTimeout(ctx, s.Every*3/4)
	defer cancel()
	for what, do := range s.parts {
		if s.quiet.After(s.Now()) || work.Err() != nil {
			break
		}
		if err := do(work); err != nil && ctx.Err() == nil {
			s.failedTo(ctx, what, err)
		}
	}
	if err := s.save(ctx); err != nil && ctx.Err() == nil {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("the sweep could not save how far it got")
	}
	return true
}

// parts are those of a turn, in order.
func (s *Sweep) parts(yield func(string, func(context.Context) error) bool) {
	_ = yield("look for deliveries that failed", s.sweepFailed) &&
		yield("look at all repositories", s.sweepAll) &&
		yield("look for what no delivery told of", s.sweepDaily)
}

// failedTo notes why a part stopped. What is left is done in the next turn.
func (s *Sweep) failedTo(ctx context.Context, what string, err error) {
	if wait, told := promotion.WaitOf(err); told {
		s.quiet = s.Now().Add(wait)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errNoTime) {
		return // the rest has the next turn
	}
	zerolog.Ctx(ctx).Warn().Err(err).Msg("the sweep could not " + what + "; it tries again")
}

// errNoTime means that a turn is over before all was done.
var errNoTime = errors.New("the turn is over")

// breath waits until the next repository may be looked at.
func (s *Sweep) breath(ctx context.Context) error {
	if s.pace.Wait(ctx) != nil {
		return errNoTime
	}
	return nil
}
