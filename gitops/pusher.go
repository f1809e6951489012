package gitops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// The bounds of one push, so that a server takes it.
const (
	maxRefsAtOnce  = 100
	maxBytesAtOnce = 32 << 20 // before compression; one update alone may be larger
)

// pusher sends the updates of one repository. One push is under way at a time;
// what is asked for meanwhile travels together in the next. It waits for nothing
// else, so an update alone goes out at once.
type pusher struct {
	mu      sync.Mutex
	queue   []*job
	running bool
}

// job is one update on its way.
type job struct {
	repo   *Repository
	update update
	ctx    context.Context // of who waits for it
	done   chan struct{}
	err    error // once done
}

func newJob(ctx context.Context, r *Repository, u update) *job {
	return &job{repo: r, update: u, ctx: ctx, done: make(chan struct{})}
}

func (j *job) finish(err error) {
	j.err = err
	close(j.done)
}

// put queues jobs, nil ones left out, and sees that they are sent.
func (p *pusher) put(jobs ...*job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, j := range jobs {
		if j != nil {
			p.queue = append(p.queue, j)
		}
	}
	if len(p.queue) == 0 || p.running {
		return
	}
	p.running = p.queue[0].repo.engine.goWork(p.run)
	if !p.running {
		for _, j := range p.queue {
			j.finish(ErrClosed)
		}
		p.queue = nil
	}
}

// wait gives a job's answer. Who gives up before it was sent takes it back.
func (p *pusher) wait(ctx context.Context, j *job) error {
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = slices.DeleteFunc(p.queue, func(o *job) bool { return o == j })
	return fmt.Errorf("push to %s: %w", j.repo.name(), ctx.Err())
}

// run sends what is queued, until nothing is.
func (p *pusher) run(closing context.Context) {
	for batch := p.take(); len(batch) > 0; batch = p.take() {
		if closing.Err() != nil {
			for _, j := range batch {
				j.finish(ErrClosed)
			}
			continue
		}
		push(closing, batch)
	}
}

// take gives the jobs of the next push: updates of different refs.
func (p *pusher) take() []*job {
	p.mu.Lock()
	defer p.mu.Unlock()
	var batch, rest []*job
	refs, bytes := map[string]bool{}, int64(0)
	for _, j := range p.queue {
		cost := j.update.size()
		if len(batch) > 0 && (refs[j.update.ref.String()] || len(batch) >= maxRefsAtOnce || bytes+cost > maxBytesAtOnce) {
			rest = append(rest, j)
			continue
		}
		refs[j.update.ref.String()], bytes = true, bytes+cost
		batch = append(batch, j)
	}
	p.queue = rest
	if len(batch) == 0 {
		p.running = false
	}
	return batch
}

// push sends jobs together. A server may refuse a whole push for one of its
// branches, so those that it refused are tried once more, each alone.
func push(closing context.Context, batch []*job) {
	answers, err := together(closing, batch)
	for i, j := range batch {
		answer := err
		if err == nil {
			answer = answers[i]
		}
		if err == nil && len(batch) > 1 && answer != nil && !errors.Is(answer, promotion.ErrStale) {
			answer = alone(closing, j)
		}
		j.finish(answer)
	}
}

func alone(closing context.Context, j *job) error {
	answers, err := together(closing, []*job{j})
	if err != nil {
		return err
	}
	return answers[0]
}

// together sends jobs in one push, with the credentials of the first. It ends
// when the engine is closed, or when nobody waits any more.
func together(closing context.Context, batch []*job) ([]error, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(batch[0].ctx))
	defer cancel()
	defer context.AfterFunc(closing, cancel)()
	var mu sync.Mutex
	waiting := len(batch)
	updates := make([]update, len(batch))
	for i, j := range batch {
		updates[i] = j.update
		stop := context.AfterFunc(j.ctx, func() {
			mu.Lock()
			defer mu.Unlock()
			if waiting--; waiting == 0 {
				cancel()
			}
		})
		defer stop()
	}
	answers, err := batch[0].repo.updateRefs(ctx, updates)
	if err != nil && closing.Err() != nil {
		err = ErrClosed
	}
	return answers, err
}

func (u update) size() int64 {
	var n int64
	for _, o := range u.objects {
		n += int64(len(o.data))
	}
	return n
}
