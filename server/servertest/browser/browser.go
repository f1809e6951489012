package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// answerWithin bounds every wait for the browser: a busy machine is slow, a dead browser
// does not answer.
const answerWithin = time.Minute

// Browser is one Chromium. Its methods fail the test on errors.
type Browser struct {
	tb  testing.TB
	out io.WriteCloser

	mu      sync.Mutex
	lastID  int
	waiting map[int]chan reply
	events  map[string]chan struct{} // session and event → it came
	over    bool
}

// reply is a message of the browser: an answer, or an event.
type reply struct {
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	SessionID string          `json:"sessionId"`
	Result    json.RawMessage `json:"result"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Start starts a browser, or skips the test where there is none.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	path := find()
	switch {
	case path == "" && os.Getenv("STAGECOACH_BROWSER") == "required":
		tb.Fatal("no Chromium is installed (looked for chromium, chromium-browser, google-chrome in PATH)")
	case path == "":
		tb.Skip("SKIPPED, nothing was looked at in a browser: install Chromium to run this test")
	}
	b := &Browser{tb: tb, waiting: map[int]chan reply{}, events: map[string]chan struct{}{}}
	b.launch(path)
	return b
}

func find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// flags keep the browser quiet and on this machine. The sandbox needs rights that
// containers do not give; only pages of the test are opened.
var flags = []string{
	"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio",
	"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--remote-debugging-pipe", "--force-color-profile=srgb",
}

// launch starts the program. It reads commands from descriptor 3 and writes to 4.
func (b *Browser) launch(path string) {
	b.tb.Helper()
	toRead, out, err := os.Pipe()
	b.must(err)
	in, toWrite, err := os.Pipe()
	b.must(err)
	cmd := exec.Command(path, append(flags, "--user-data-dir="+b.tb.TempDir(), "about:blank")...)
	cmd.ExtraFiles = []*os.File{toRead, toWrite}
	b.must(cmd.Start())
	_, _ = toRead.Close(), toWrite.Close()
	b.out = out
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(in)
	}()
	b.tb.Cleanup(func() {
		b.stop(cmd, read)
		_, _ = out.Close(), in.Close()
	})
}

// stop asks the browser to end, so that it lets go of its profile, and kills it otherwise.
func (b *Browser) stop(cmd *exec.Cmd, read <-chan struct{}) {
	b.mu.Lock()
	_, _ = fmt.Fprintf(b.out, `{"id":0,"method":"Browser.close"}`+"\x00")
	b.mu.Unlock()
	select {
	case <-read:
	case <-time.After(10 * time.Second):
		_ = cmd.Process.Kill()
		<-read
	}
	_ = cmd.Wait() // it was killed, or ended as asked
}

// read takes what the browser says until it is gone.
func (b *Browser) read(in io.Reader) {
	messages := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := messages.ReadBytes(0)
		if err != nil {
			break
		}
		var r reply
		if json.Unmarshal(line[:len(line)-1], &r) == nil {
			b.take(r)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	for _, waits := range b.waiting {
		close(waits)
	}
	b.waiting = nil
}

func (b *Browser) take(r reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.ID != 0 {
		if waits := b.waiting[r.ID]; waits != nil {
			waits <- r // it has room for the one answer
			delete(b.waiting, r.ID)
		}
		return
	}
	if came := b.events[r.SessionID+r.Method]; came != nil {
		select {
		case came <- struct{}{}:
		default:
		}
	}
}

// expect is told when an event of a page comes.
func (b *Browser) expect(session, event string) <-chan struct{} {
	came := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events[session+event] = came
	return came
}

// call sends a command and reads its result into out, if that is not nil.
func (b *Browser) call(session, method string, params map[string]any, out any) {
	b.tb.Helper()
	waits := make(chan reply, 1)
	b.mu.Lock()
	if b.over {
		b.mu.Unlock()
		b.tb.Fatalf("%s: the browser is gone", method)
	}
	b.lastID++
	message := map[string]any{"id": b.lastID, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	raw, err := json.Marshal(message)
	if err == nil {
		b.waiting[b.lastID] = waits
		_, err = b.out.Write(append(raw, 0))
	}
	b.mu.Unlock()
	b.must(err)
	select {
	case r, alive := <-waits:
		if !alive {
			b.tb.Fatalf("%s: the browser is gone", method)
		}
		if r.Error != nil {
			b.tb.Fatalf("%s: %s", method, r.Error.Message)
		}
		if out != nil {
			b.must(json.Unmarshal(r.Result, out))
		}
	case <-time.After(answerWithin):
		b.tb.Fatalf("%s: the browser does not answer", method)
	}
}

func (b *Browser) must(err error) {
	b.tb.Helper()
	if err != nil {
		b.tb.Fatal(err)
	}
}
