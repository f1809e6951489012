package worker

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// lane brings one repository forward.
type lane struct {
	w    *Worker
	key  string
	repo int64

	mu    sync.Mutex
	inbox []Delivery
	bell  chan struct{} // rings when the inbox gets something

	// What follows belongs to the lane's goroutine.
	working
	saved     *promotion.State // as the store has it; nil: it is not known
	taken     []Delivery
	results   chan promotion.Result
	running   map[string]context.CancelFunc
	records   map[string][]promotion.StepRecord
	recordsMu sync.Mutex
	wakeSet   time.Time
	outdated  []string // promotions whose step records are of an older store, see outdate
}

func newLane(w *Worker, key string) *lane {
	repo, _ := strconv.ParseInt(strings.TrimPrefix(key, "r"), 10, 64)
	return &lane{
		w: w, key: key, repo: repo, bell: make(chan struct{}, 1), results: make(chan promotion.Result, 64),
		running: map[string]context.CancelFunc{}, records: map[string][]promotion.StepRecord{},
	}
}

func (l *lane) push(d Delivery) {
	l.mu.Lock()
	l.inbox = append(l.inbox, d)
	l.mu.Unlock()
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

func (l *lane) waiting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.inbox) > 0
}

// take empties the inbox.
func (l *lane) take() []Delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch := l.inbox
	l.inbox = nil
	return batch
}

// run is the lane's life: from its first delivery until nothing is left to do.
func (l *lane) run() {
	ctx := zerolog.Ctx(l.w.ctx).With().Str("lane", l.key).Logger().WithContext(l.w.ctx)
	defer l.finish()
	for !l.w.stopping() {
		more, err := l.round(ctx)
		if err != nil && ctx.Err() == nil {
			l.fail(ctx, err)
		}
		if !more && l.w.end(l) {
			return
		}
	}
	l.w.end(l)
}

// round takes what has come, and brings the repository to rest as far as
// possible now. It reports whether another round may find something to do.
func (l *lane) round(ctx context.Context) (bool, error) {
	if !strings.HasPrefix(l.key, "r") {
		return false, l.fanOut(ctx, l.take())
	}
	inputs, err := l.gather(ctx)
	if err != nil {
		return true, err
	}
	if len(inputs) > 0 {
		return true, l.advance(ctx, inputs)
	}
	if len(l.running) > 0 {
		return true, l.await(ctx)
	}
	again, err := l.rest(ctx)
	if err != nil || again {
		return true, err
	}
	if l.state != nil && len(l.taken) == 0 {
		l.w.kept.put(l.key, l.working)
		l.state = nil
	}
	return l.waiting(), nil
}

// gather turns deliveries and results into inputs.
func (l *lane) gather(ctx context.Context) ([]promotion.Input, error) {
	var inputs []promotion.Input
	if batch := l.take(); len(batch) > 0 {
		l.taken = append(l.taken, batch...)
		more, err := l.inputs(ctx, batch)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, more...)
	}
	for {
		select {
		case r := <-l.results:
			inputs = append(inputs, l.landed(r))
		default:
			return inputs, nil
		}
	}
}

// await waits for a result or a delivery.
func (l *lane) await(ctx context.Context) error {
	select {
	case r := <-l.results:
		return l.advance(ctx, []promotion.Input{l.landed(r)})
	case <-l.bell:
		return nil
	case <-l.w.quiet.Done():
		return nil
	}
}

// landed takes an effect off the list of those that run.
func (l *lane) landed(r promotion.Result) promotion.Result {
	if cancel := l.running[r.Effect]; cancel != nil {
		cancel()
		delete(l.running, r.Effect)
	}
	return r
}

// advance lets the core decide, saves what it decided, and starts the effects.
func (l *lane) advance(ctx context.Context, inputs []promotion.Input) error {
	before := l.state
	d := promotion.Advance(l.state, inputs, l.w.Now())
	if err := l.save(ctx, d.State); err != nil {
		return err
	}
	l.forget(ctx, before)
	l.forgetOutdated(ctx)
	if l.w.OnState != nil {
		l.w.OnState(before, d.State)
	}
	for _, e := range d.Effects {
		if !e.Late && !e.AtRest {
			l.start(ctx, e)
		}
	}
	return nil
}

// save writes the state to the store, unless it is there already.
func (l *lane) save(ctx context.Context, s *promotion.State) error {
	same, err := storedAlike(l.saved, s)
	if err != nil {
		return err
	}
	if !same {
		revision, err := l.w.Store.Save(ctx, s, l.revision)
		if err != nil {
			return fmt.Errorf("save the state of %s: %w", l.key, err)
		}
		l.revision = revision
	}
	l.state, l.saved = s, s
	return nil
}

// forget drops the step records of promotions that have ended for good.
func (l *lane) forget(ctx context.Context, before *promotion.State) {
	if before == nil {
		return
	}
	for name, ps := range before.Pipelines {
		after := l.state.Pipelines[name]
		if after == ps {
			continue // nothing changed in it
		}
		for _, p := range ps.Promotions {
			if p.Phase == promotion.PhaseQueued && p.StartedAt.IsZero() {
				continue
			}
			now := after.Promotion(p.Name)
			gone := now == nil || now.Phase.Terminal() && now.Phase != promotion.PhaseErrored && now.Phase != promotion.PhaseFailed
			if !gone || p.Phase.Terminal() && now != nil {
				continue
			}
			l.recordsMu.Lock()
			delete(l.records, p.Name)
			l.recordsMu.Unlock()
			if err := l.w.Store.Forget(ctx, l.repo, p.Name); err != nil {
				zerolog.Ctx(ctx).Warn().Err(err).Str("promotion", p.Name).Msg("step records stay behind")
			}
		}
	}
}

// fail gives up this round: what is in memory is forgotten, and the deliveries
// come again.
func (l *lane) fail(ctx context.Context, cause error) {
	zerolog.Ctx(ctx).Error().Err(cause).Int("deliveries", len(l.taken)).Msg("the lane begins anew")
	l.drain()
	l.state, l.revision, l.saved, l.wakeSet, l.outdated = nil, 0, nil, time.Time{}, nil
	l.records = map[string][]promotion.StepRecord{}
	for _, d := range l.taken {
		if err := l.w.Log.Retry(ctx, d, promotion.Pause(d.Tries+1), cause.Error()); err != nil {
			zerolog.Ctx(ctx).Error().Err(err).Str("delivery", d.GUID).Msg("it comes again when its time with us is over")
		}
	}
	l.taken = nil
}

// drain stops the effects under way and waits until they have.
func (l *lane) drain() {
	for _, cancel := range l.running {
		cancel()
	}
	l.finish()
}

// finish waits until no effect is under way.
func (l *lane) finish() {
	for len(l.running) > 0 {
		l.landed(<-l.results)
	}
}
