package ghsim

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// lane is what is delivered in order: the events of one App on one repository; repository 0 is its installations.
type lane struct {
	app, repo int64
}

// courier delivers webhooks: one goroutine for each lane that has something to send, none otherwise.
type courier struct {
	client *http.Client
	clock  func() time.Time
	log    zerolog.Logger
	stop   context.CancelFunc
	ctx    context.Context
	group  sync.WaitGroup

	mu      sync.Mutex
	queues  map[lane][]*delivery
	running map[lane]bool // has a goroutine
	all     []*delivery   // ended ones, oldest first, without the lost
	paused  bool
	closed  bool
	open    int           // queued or under way
	idle    chan struct{} // closed when open falls to 0; nil while nobody waits
	drop    filters
	lose    filters
	twice   filters
	late    filters
	holds   []*heldBack
	delay   time.Duration // of late ones
}

func newCourier(opts Options, log zerolog.Logger) *courier {
	ctx, stop := context.WithCancel(context.Background())
	return &courier{
		clock: opts.Clock, log: log, ctx: ctx, stop: stop, queues: map[lane][]*delivery{}, running: map[lane]bool{},
		client: &http.Client{
			Timeout: opts.WebhookTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 4, DialContext: opts.Dial},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (c *courier) enqueue(d *delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.lose.match(d.Delivery) {
		return
	}
	if c.keep(d) {
		return
	}
	if c.late.match(d.Delivery) {
		c.postpone(d)
		return
	}
	c.open++
	c.push(d)
	if c.twice.match(d.Delivery) {
		again := *d
		c.open++
		c.push(&again)
	}
}

// start gives a lane its goroutine, unless it has one or nothing may be sent.
func (c *courier) start(l lane) {
	if c.paused || c.running[l] {
		return
	}
	c.running[l] = true
	c.group.Add(1)
	go c.work(l)
}

// work empties one lane and ends.
func (c *courier) work(l lane) {
	defer c.group.Done()
	for {
		d := c.next(l)
		if d == nil {
			return
		}
		c.deliver(d)
		c.settled(d)
	}
}

// next takes the first of a lane; nil ends the lane's goroutine. What is queued when the courier closes is lost.
func (c *courier) next(l lane) *delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.queues[l]
	if c.closed {
		c.finished(len(queue))
		queue = nil
	}
	if len(queue) == 0 || c.paused {
		delete(c.running, l)
		if len(queue) == 0 {
			delete(c.queues, l)
		}
		return nil
	}
	c.queues[l] = queue[1:]
	return queue[0]
}

func (c *courier) settled(d *delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, d)
	c.finished(1)
}

func (c *courier) finished(n int) {
	c.open -= n
	if c.open == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

func (c *courier) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = true
}

func (c *courier) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = false
	for l := range c.queues {
		c.start(l)
	}
}

func (c *courier) waitIdle(ctx context.Context) error {
	for {
		c.mu.Lock()
		if c.open == 0 {
			c.mu.Unlock()
			return nil
		}
		if c.idle == nil {
			c.idle = make(chan struct{})
		}
		idle := c.idle
		c.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *courier) close() {
	c.mu.Lock()
	c.closed, c.paused = true, false
	c.dropHeld()
	for l := range c.queues {
		c.start(l) // its goroutine clears the queue
	}
	c.mu.Unlock()
	c.stop()
	c.group.Wait()
	c.client.CloseIdleConnections()
}
