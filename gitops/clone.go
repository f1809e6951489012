package gitops

import (
	"context"
	"net/url"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// clone is what all handles of one repository share.
type clone struct {
	id  int64
	dir string

	open  sync.Mutex
	disk  *store
	ended bool

	fetching gate // one fetch at a time: who waits finds what he wanted
	mu       sync.Mutex
	pushing  map[string]*queue     // by branch: one push at a time
	wishes   map[plumbing.Hash]int // objects that callers wait for: how many do
	pusher   pusher
	server   server
	can      *capability.List    // of the server's side of a push; nil: not asked yet
	first    bool                // the server takes a push only after it was asked for its refs
	moved    map[string]*url.URL // where redirects led: from URL → to
}

func newClone(id int64, dir string) *clone {
	return &clone{id: id, dir: dir, fetching: newGate(), wishes: map[plumbing.Hash]int{}, pushing: map[string]*queue{}, moved: map[string]*url.URL{}}
}

// store opens the clone on disk when it is first needed.
func (c *clone) store(ctx context.Context) (*store, error) {
	c.open.Lock()
	defer c.open.Unlock()
	if c.ended {
		return nil, ErrClosed
	}
	if c.disk != nil {
		return c.disk, nil
	}
	s, err := openStore(ctx, c.dir)
	if err != nil {
		return nil, err
	}
	c.disk = s
	return s, nil
}

// empty removes all that the clone holds on disk; false: it is not open.
func (c *clone) empty() bool {
	c.open.Lock()
	defer c.open.Unlock()
	if c.disk != nil {
		c.disk.clear()
	}
	return c.disk != nil
}

func (c *clone) close() error {
	c.open.Lock()
	defer c.open.Unlock()
	c.ended = true
	if c.disk == nil {
		return nil
	}
	return c.disk.close()
}

// enterBranch waits until nobody else here pushes to the branch.
func (c *clone) enterBranch(ctx context.Context, branch string) (leave func(), err error) {
	c.mu.Lock()
	g := c.pushing[branch]
	if g == nil {
		g = &queue{gate: newGate()}
		c.pushing[branch] = g
	}
	g.waiting++
	c.mu.Unlock()
	done := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if g.waiting--; g.waiting == 0 {
			delete(c.pushing, branch)
		}
	}
	if err := g.enter(ctx); err != nil {
		done()
		return nil, err
	}
	return func() { g.leave(); done() }, nil
}

// queue is a gate that is forgotten when nobody is at it.
type queue struct {
	gate
	waiting int
}

// gate lets one in at a time; who waits may give up.
type gate chan struct{}

func newGate() gate { return make(gate, 1) }

func (g gate) enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	default:
	}
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g gate) leave() { <-g }

// server is what is known of the server's abilities. Until it has said them,
// it is taken for one that can do everything, as GitHub can: that saves asking.
type server struct {
	asked  bool
	filter bool // it can leave objects out
	anySHA bool // it gives any object by its hash, not tips of branches alone
}

func (c *clone) abilities() server {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.server.asked {
		return server{filter: true, anySHA: true}
	}
	return c.server
}

// lazy says that single objects can be fetched by hash, so that content need
// not be there before it is read.
func (s server) lazy() bool { return s.filter && s.anySHA }

// knows says that the server told what it can.
func (c *clone) knows() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.asked
}
