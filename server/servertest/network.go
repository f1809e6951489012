package servertest

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
)

// network is what the parts of a world talk over.
type network interface {
	free(tb testing.TB) string                      // an address that nobody listens on
	listen(tb testing.TB, addr string) net.Listener // empty: at any free address
	dial(ctx context.Context, network, addr string) (net.Conn, error)
}

// loopback is the machine's own.
type loopback struct{ net.Dialer }

func (*loopback) free(tb testing.TB) string { return freeAddr(tb) }

func (*loopback) listen(tb testing.TB, addr string) net.Listener {
	tb.Helper()
	return listen(tb, cmp.Or(addr, "127.0.0.1:0"))
}

func (l *loopback) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return l.DialContext(ctx, network, addr)
}

// inMemory is one of pipes, for bubbles: whoever waits for a socket keeps the time of
// a bubble from passing, and whoever waits for a pipe does not.
type inMemory struct {
	mu    sync.Mutex
	last  int
	hosts map[string]*pipes // by address
}

func newInMemory() *inMemory { return &inMemory{hosts: map[string]*pipes{}} }

func (n *inMemory) free(testing.TB) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	return fmt.Sprintf("127.0.0.1:%d", n.last)
}

func (n *inMemory) listen(tb testing.TB, addr string) net.Listener {
	tb.Helper()
	addr = cmp.Or(addr, n.free(tb))
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hosts[addr] != nil {
		tb.Fatalf("somebody listens at %s already", addr)
	}
	p := &pipes{addr: addr, calls: make(chan net.Conn), closed: make(chan struct{}), gone: func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.hosts, addr)
	}}
	n.hosts[addr] = p
	return p
}

func (n *inMemory) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	n.mu.Lock()
	p := n.hosts[addr]
	n.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: network, Err: fmt.Errorf("nobody listens at %s", addr)}
	if p == nil {
		return nil, refused
	}
	ours, theirs := net.Pipe()
	select {
	case p.calls <- addressed{theirs, p.addr}:
		return addressed{ours, p.addr}, nil
	case <-p.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipes is a listener whose connections are pipes.
type pipes struct {
	addr   string
	calls  chan net.Conn
	closed chan struct{}
	gone   func()
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.calls:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed); p.gone() })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr(p.addr) }

type pipeAddr string

func (pipeAddr) Network() string  { return "tcp" }
func (a pipeAddr) String() string { return string(a) }

// addressed is a pipe that looks like a connection within this machine.
type addressed struct {
	net.Conn
	addr string
}

func (a addressed) LocalAddr() net.Addr  { return pipeAddr(a.addr) }
func (a addressed) RemoteAddr() net.Addr { return pipeAddr(a.addr) }
