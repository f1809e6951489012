package servertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The programs that tests start as processes of their own.
const (
	Product = "github.com/stagecoach-app/stagecoach"                  // the binary that people run
	Mortal  = "github.com/stagecoach-app/stagecoach/server/crashtest" // a server that ends itself in the middle of a write
)

var built struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

// Build builds a program, once per test run and without the race detector, and
// returns the path of the binary. Main removes it.
func Build(tb testing.TB, program string) string {
	tb.Helper()
	built.Lock()
	defer built.Unlock()
	if path := built.paths[program]; path != "" {
		return path
	}
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "stagecoach-built-")
		if err != nil {
			tb.Fatal(err)
		}
		built.dir, built.paths = dir, map[string]string{}
	}
	path := filepath.Join(built.dir, filepath.Base(program))
	// The flags of the test's own build are in the environment, so that both take the same from the cache.
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, program)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build %s: %v\n%s", program, err, out)
	}
	built.paths[program] = path
	return path
}

func removeBuilt() {
	built.Lock()
	defer built.Unlock()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
}

// process is a server that runs as a process of its own.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it is gone
	lines tail
}

// tail keeps the end of what a process wrote.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailBytes = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.buf.Len() > tailBytes {
		t.buf.Next(t.buf.Len() - tailBytes/2)
	}
	return t.buf.Write(p)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}

// StartProcess starts the product as a process, with nothing but Env for its
// environment, and waits until it takes deliveries.
func (w *World) StartProcess() { w.TB.Helper(); w.StartProgram(Product, "serve") }

// StartProgram is StartProcess for one of the programs.
func (w *World) StartProgram(program string, args ...string) {
	w.TB.Helper()
	w.StartCommand(Build(w.TB, program), args...)
}

// StartCommand is StartProgram for a command that ends in being the server.
func (w *World) StartCommand(path string, args ...string) {
	w.TB.Helper()
	if err := w.launch(path, args); err != nil {
		w.TB.Fatalf("start %s: %v\n%s", path, err, w.Output())
	}
}

// launch starts a process and waits until it is ready or gone.
func (w *World) launch(path string, args []string) error {
	p, err := w.begin(path, args, w.Env())
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.proc, w.starts = p, w.starts+1
	w.mu.Unlock()
	return p.ready(w.Addr)
}

// begin starts a process with nothing but env for its environment.
func (w *World) begin(path string, args []string, env map[string]string) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), ended: make(chan struct{})}
	for name, value := range env {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = w.home, &p.lines, &p.lines
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = p.cmd.Wait(); close(p.ended) }()
	return p, nil
}

// kill ends the process with SIGKILL and waits until it is gone.
func (p *process) kill() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Kill() // gone already is as good
	<-p.ended
}

// gone reports whether it has ended.
func (p *process) gone() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// ready waits until the server at addr takes deliveries, or is gone.
func (p *process) ready(addr string) error {
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		select {
		case <-p.ended:
			return errGone
		case <-time.After(10 * time.Millisecond):
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
		if err != nil {
			cancel()
			return err
		}
		req.Close = true
		res, err := http.DefaultTransport.RoundTrip(req)
		cancel()
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	return errors.New("it did not become ready within a minute")
}

// errGone means that a process ended before it was ready.
var errGone = errors.New("it ended before it was ready")

// process is the one that runs, or ran last; nil: there was none.
func (w *World) process() *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.proc
}

// PID is the number of the process that runs, or ran last.
func (w *World) PID() int { return w.process().cmd.Process.Pid }

// Kill ends the process with SIGKILL and waits until it is gone.
func (w *World) Kill() {
	w.kills.Add(1)
	w.process().kill()
}

// Freeze stops the process in the middle of whatever it does, until Thaw.
func (w *World) Freeze() { w.signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (w *World) Thaw() { w.signal(syscall.SIGCONT) }

func (w *World) signal(s syscall.Signal) {
	if p := w.process(); p != nil {
		_ = p.cmd.Process.Signal(s) // gone is as good
	}
}

// Terminate asks the process to stop, as an operator does, and returns its exit code.
func (w *World) Terminate() int {
	w.TB.Helper()
	p := w.process()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		w.Kill()
		w.TB.Fatalf("the process did not stop within a minute of SIGTERM\n%s", w.Output())
	}
	return p.cmd.ProcessState.ExitCode()
}

// Output is the end of what the process wrote, or each of the fleet.
func (w *World) Output() string {
	var all strings.Builder
	for _, p := range append([]*process{w.process()}, w.fleet.processes()...) {
		if p != nil {
			fmt.Fprintf(&all, "--- process %d wrote\n%s\n", p.cmd.Process.Pid, p.lines.String())
		}
	}
	return all.String()
}

// RunProcess runs the product until it ends by itself, within a minute, and
// returns its exit code and all that it wrote.
func (w *World) RunProcess(args ...string) (code int, said string) {
	w.TB.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, Build(w.TB, Product), args...)
	for name, value := range w.Env() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Dir = w.home
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.TB.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
