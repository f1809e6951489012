package servertest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Fleet are replicas of the product that share a NATS server, all of them processes,
// behind one address as behind a load balancer.
type Fleet struct {
	w    *World
	nats string // address of the NATS server

	mu       sync.Mutex
	engine   *process
	replicas []*replica
	next     atomic.Int64
}

// replica is one of them. Each has a data directory of its own, for its clones.
type replica struct {
	addr, dir string
	path      string // of the binary that it starts as
	proc      *process
	frozen    bool
}

// StartFleet starts the NATS server and n replicas, one after the other: the first
// has every lane until it is gone.
func (w *World) StartFleet(n int) *Fleet {
	w.TB.Helper()
	return w.StartFleetOf(n, Build(w.TB, Product))
}

// StartFleetOf is StartFleet of a binary.
func (w *World) StartFleetOf(n int, path string) *Fleet {
	w.TB.Helper()
	f := &Fleet{w: w, nats: freeAddr(w.TB)}
	w.fleet = f
	w.TB.Cleanup(f.stop)
	w.must(f.StartNATS())
	balance := &http.Server{Handler: http.HandlerFunc(f.balance), ReadHeaderTimeout: time.Minute}
	ln := listen(w.TB, w.Addr)
	go func() { _ = balance.Serve(ln) }()
	w.TB.Cleanup(func() { _ = balance.Close() })
	for i := range n {
		f.replicas = append(f.replicas, &replica{path: path, addr: freeAddr(w.TB), dir: filepath.Join(w.DataDir, strconv.Itoa(i))})
		if err := f.Start(i); err != nil {
			w.TB.Fatalf("start replica %d: %v\n%s", i, err, w.Output())
		}
	}
	return f
}

// StartNATS starts the NATS server, on the files of the one before.
func (f *Fleet) StartNATS() error {
	p, err := f.w.begin(Build(f.w.TB, Mortal), []string{"-nats", f.nats, "-dir", filepath.Join(f.w.DataDir, "nats-server")}, nil)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.engine = p
	f.mu.Unlock()
	return listens(p, f.nats)
}

// listens waits until a process takes connections at addr, or is gone.
func listens(p *process, addr string) error {
	for range 6000 {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-p.ended:
			return errGone
		case <-time.After(10 * time.Millisecond):
		}
	}
	return errors.New("it takes no connections after a minute")
}

// KillNATS ends it with SIGKILL.
func (f *Fleet) KillNATS() {
	f.mu.Lock()
	p := f.engine
	f.mu.Unlock()
	p.kill()
}

// Start starts a replica that is not running, and waits until it takes deliveries.
func (f *Fleet) Start(i int) error {
	r := f.replicas[i]
	env := f.w.Env()
	env["STAGECOACH_ADDR"], env["STAGECOACH_DATA_DIR"], env["STAGECOACH_NATS_URL"] = r.addr, r.dir, "nats://"+f.nats
	f.mu.Lock()
	path := r.path
	f.mu.Unlock()
	p, err := f.w.begin(path, []string{"serve"}, env)
	if err != nil {
		return err
	}
	f.mu.Lock()
	r.proc, r.frozen = p, false
	f.mu.Unlock()
	return p.ready(r.addr)
}

// Kill ends a replica with SIGKILL.
func (f *Fleet) Kill(i int) { f.process(i).kill() }

// Replace has a replica stop, as an operator does, and start anew as another binary;
// KeepUpFleet starts it.
func (f *Fleet) Replace(i int, path string) {
	f.mu.Lock()
	r := f.replicas[i]
	before := r.proc
	r.path = path
	f.mu.Unlock()
	_ = before.cmd.Process.Signal(syscall.SIGTERM) // gone is as good
	f.w.Until("the replica is replaced", func() bool {
		now := f.process(i)
		return now != before && now.ready(r.addr) == nil
	})
}

// Freeze stops a replica in the middle of whatever it does, until Thaw.
func (f *Fleet) Freeze(i int) { f.signal(i, syscall.SIGSTOP, true) }

// Thaw lets a frozen replica go on.
func (f *Fleet) Thaw(i int) { f.signal(i, syscall.SIGCONT, false) }

func (f *Fleet) signal(i int, s syscall.Signal, frozen bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.replicas[i].proc.cmd.Process.Signal(s) // gone is as good
	f.replicas[i].frozen = frozen
}

// Gone reports whether a replica has ended.
func (f *Fleet) Gone(i int) bool { return f.process(i).gone() }

// Size is how many replicas there are.
func (f *Fleet) Size() int { return len(f.replicas) }

func (f *Fleet) process(i int) *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.replicas[i].proc
}

// processes are all that were started last; of a nil fleet none.
func (f *Fleet) processes() []*process {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []*process
	for _, r := range f.replicas {
		out = append(out, r.proc)
	}
	return out
}

func (f *Fleet) stop() {
	for _, p := range append(f.processes(), f.engine) {
		p.kill()
	}
}

// balance hands a request to a replica that answers.
func (f *Fleet) balance(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	for range f.replicas {
		addr, lives := f.pick()
		if lives && pass(rw, r, addr, body) {
			return
		}
	}
	rw.WriteHeader(http.StatusBadGateway)
}

func (f *Fleet) pick() (addr string, lives bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.replicas[int(f.next.Add(1))%len(f.replicas)]
	return r.addr, r.proc != nil && !r.proc.gone() && !r.frozen
}

// pass sends a request on, and reports whether it was answered.
func pass(rw http.ResponseWriter, r *http.Request, addr string, body []byte) bool {
	ctx, cancel := context.WithTimeout(r.Context(), 9*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.Method, "http://"+addr+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header, req.Close = r.Header.Clone(), true
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	rw.WriteHeader(res.StatusCode)
	_, _ = io.Copy(rw, res.Body)
	return true
}

// KeepUpFleet is KeepUp for a fleet: replicas that are gone are started again, and
// failed deliveries sent again, until the test ends.
func (w *World) KeepUpFleet(f *Fleet) {
	stop, done := make(chan struct{}), make(chan struct{})
	w.TB.Cleanup(func() {
		close(stop)
		<-done
	})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			for i := range f.Size() {
				if f.Gone(i) {
					_ = f.Start(i) // one that does not live, for the event store is away, is started again
				}
			}
			w.RedeliverFailed()
		}
	}()
}

// UseNATS starts a NATS server as a process, with the message limit of 1 MB that such
// servers have by default, and lets the world's server keep everything there.
func (w *World) UseNATS() {
	w.TB.Helper()
	f := &Fleet{w: w, nats: freeAddr(w.TB)}
	w.TB.Cleanup(f.stop)
	w.must(f.StartNATS())
	if w.Vars == nil {
		w.Vars = map[string]string{}
	}
	w.Vars["STAGECOACH_NATS_URL"] = "nats://" + f.nats
}
