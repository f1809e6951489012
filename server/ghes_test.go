package server_test

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// tunnel is a proxy as companies have it: it knows one server, and counts who was asked for.
type tunnel struct {
	to    string
	mu    sync.Mutex
	asked map[string]int
	open  sync.WaitGroup
}

func (p *tunnel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked[r.Method+" "+r.Host]++
	p.mu.Unlock()
	there, err := net.Dial("tcp", p.to)
	if err != nil || r.Method != http.MethodConnect {
		http.Error(w, "no", http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusOK)
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	p.open.Go(func() { _, _ = io.Copy(there, buffered); _ = there.Close() })
	p.open.Go(func() { _, _ = io.Copy(here, there); _ = here.Close() })
}

// TestAGitHubOfOnesOwn has a GitHub whose certificate nobody else knows, and which only a proxy reaches: SSL_CERT_FILE
// and HTTPS_PROXY are all that it takes, for the API and for git.
func TestAGitHubOfOnesOwn(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	github := httptest.NewTLSServer(w.Sim) // its certificate is that of example.com
	defer github.Close()
	w.Sim.SetURL("https://example.com")
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: github.Certificate().Raw}), 0o600))
	p := &tunnel{to: github.Listener.Addr().String(), asked: map[string]int{}}
	proxy := httptest.NewServer(p)
	defer p.open.Wait()
	defer proxy.Close()
	w.Vars = map[string]string{"SSL_CERT_FILE": certificate, "HTTPS_PROXY": proxy.URL, "NO_PROXY": "localhost"}
	w.StartProcess()
	w.InstallApp()
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	if code, said := w.RunProcess("doctor"); code != 0 {
		t.Errorf("doctor ends with %d:\n%s", code, said)
	}
	w.Terminate()
	for who := range p.asked {
		if who != "CONNECT example.com:443" {
			t.Errorf("the proxy was asked for %s", who)
		}
	}
	if w.Sim.Counts(0).Pushes < 2 || w.Sim.Counts(0).Writes == 0 {
		t.Errorf("git or the API was not reached: %+v", w.Sim.Counts(0))
	}
}
