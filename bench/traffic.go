package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/server/servertest"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// mostPerSecond is how many deliveries come to the lanes in a second, where the machine
// does four times as many: waiting for what it cannot do would hide everything else. One in
// ownEvery goes to the world's own repository.
const mostPerSecond, leastPerSecond, ownEvery = 100, 2, 20

// traffic sends deliveries that concern nothing to the repositories of a world, at a
// steady rate, and notes when each is done.
type traffic struct {
	world     *servertest.World
	far, near []int64
	perSecond int // set by pace

	mu   sync.Mutex
	open map[string]sent // by GUID
	got  seen
}

type sent struct {
	at   time.Time
	near bool
}

// seen are the times that deliveries took, sorted.
type seen struct {
	far, near []time.Duration
	lost      int // were not done within patience
}

// patience is how long after the last delivery the others may take.
const patience = 10 * time.Second

func (s seen) all() []time.Duration {
	out := slices.Concat(s.far, s.near)
	slices.Sort(out)
	return out
}

// with are both together.
func (s seen) with(more seen) seen {
	both := seen{slices.Concat(s.far, more.far), slices.Concat(s.near, more.near), s.lost + more.lost}
	slices.Sort(both.far)
	slices.Sort(both.near)
	return both
}

func newTraffic(w *servertest.World, far, near []int64) *traffic {
	t := &traffic{world: w, far: far, near: near, open: map[string]sent{}}
	w.WrapLog = func(l worker.Log) worker.Log { return &listening{l, t} }
	return t
}

// listening hears which deliveries are done.
type listening struct {
	worker.Log
	to *traffic
}

func (l *listening) Done(ctx context.Context, d worker.Delivery) error {
	err := l.Log.Done(ctx, d)
	if err == nil {
		l.to.done(d.GUID)
	}
	return err
}

func (t *traffic) done(guid string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ours := t.open[guid]
	if !ours {
		return
	}
	delete(t.open, guid)
	if took := time.Since(s.at); s.near {
		t.got.near = append(t.got.near, took)
	} else {
		t.got.far = append(t.got.far, took)
	}
}

// run sends for a time and waits until all is done but what the world's own
// repository got.
func (t *traffic) run(ctx context.Context, d time.Duration) seen {
	t.mu.Lock()
	t.got = seen{}
	t.mu.Unlock()
	tick := time.NewTicker(time.Second / time.Duration(t.perSecond))
	defer tick.Stop()
	var all sync.WaitGroup
	for n := range int(d.Seconds() * float64(t.perSecond)) {
		select {
		case <-ctx.Done():
			return seen{}
		case <-tick.C:
		}
		switch {
		case n%ownEvery == 0:
			all.Go(func() { t.send(t.world.Repo.ID, nil) })
		case n%5 == 1:
			id := t.near[n%len(t.near)]
			all.Go(func() { t.send(id, &sent{near: true}) })
		default:
			id := t.far[n%len(t.far)]
			all.Go(func() { t.send(id, &sent{}) })
		}
	}
	all.Wait()
	t.settle()
	return t.took()
}

// settle waits until all is done, or patience is over.
func (t *traffic) settle() {
	for end := time.Now().Add(patience); t.left() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// pace finds out how much is a quarter of what the machine does, from n deliveries that
// come as fast as they are taken.
func (t *traffic) pace(n int) {
	var all sync.WaitGroup
	began := time.Now()
	for caller := range 16 {
		all.Go(func() {
			for i := caller; i < n; i += 16 {
				t.send(t.far[i%len(t.far)], &sent{})
			}
		})
	}
	all.Wait()
	t.settle()
	can := float64(n) / time.Since(began).Seconds()
	t.perSecond = min(mostPerSecond, max(leastPerSecond, int(can/4)))
	t.took()
}

func (t *traffic) left() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

func (t *traffic) took() seen {
	t.mu.Lock()
	defer t.mu.Unlock()
	got := t.got
	got.lost = len(t.open)
	clear(t.open)
	slices.Sort(got.far)
	slices.Sort(got.near)
	return got
}

// send delivers the result of somebody's check on a commit that nobody promotes. of is
// nil where nobody waits until it is done.
func (t *traffic) send(repo int64, of *sent) {
	guid := rand.Text()
	if of != nil {
		t.mu.Lock()
		t.open[guid] = sent{time.Now(), of.near}
		t.mu.Unlock()
	}
	name := fmt.Sprint("copy-", repo)
	if repo == t.world.Repo.ID {
		name = t.world.Repo.Name
	}
	payload := fmt.Appendf(nil, `{"action":"completed","repository":{"id":%d,"name":%q,"full_name":"acme/%[2]s","default_branch":"main"},`+
		`"check_run":{"id":%d,"name":"e2e","head_sha":"%040d","status":"completed","conclusion":"success","app":{"id":9}},"sender":{"id":7,"login":"octocat","type":"User"}}`,
		repo, name, time.Now().UnixNano()/1000, 1)
	if status, answer := t.world.Deliver(guid, servertest.Secret, "check_run", payload); status/100 != 2 {
		t.world.TB.Errorf("a delivery was answered %d: %s", status, answer)
	}
}
