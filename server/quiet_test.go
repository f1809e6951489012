package server_test

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// kept is all that was logged.
type kept struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.b.Write(p)
}

func (k *kept) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.b.String()
}

// secret is what credentials of GitHub look like.
var secret = regexp.MustCompile(`gh[pousr]_[A-Za-z0-9._-]+|x-access-token|PRIVATE KEY|eyJ[A-Za-z0-9_-]{10,}`)

// TestNoSecretIsSaid logs everything, while GitHub and git also refuse and break: no line, no page and no answer of the
// server holds a credential, and nothing that is for developers is served.
func TestNoSecretIsSaid(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	log := &kept{}
	w.Log = zerolog.New(log).Level(zerolog.TraceLevel)
	w.Sim.Fault(ghsim.Fault{Route: "POST */git-receive-pack", Status: http.StatusInternalServerError})
	w.Sim.Fault(ghsim.Fault{Route: "POST */access_tokens", Status: http.StatusBadGateway})
	w.Sim.Fault(ghsim.Fault{Route: "POST /repos/{owner}/{repo}/pulls", Status: http.StatusInternalServerError})
	w.StartServer()
	w.InstallApp()
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Post("another secret", "push", []byte("{}"))
	said := log.String()
	for _, path := range []string{"/", "/healthz", "/readyz", "/metrics", "/events"} {
		said += w.Get(path)
	}
	w.StopServer()
	if lines := strings.Count(log.String(), "\n"); lines < 20 || !strings.Contains(log.String(), "/pulls") {
		t.Errorf("little was logged, %d lines:\n%s", lines, log.String())
	}
	for _, found := range secret.FindAllString(said, -1) {
		t.Errorf("a credential was said: %.12s…", found)
	}
	if strings.Contains(said, servertest.Secret) {
		t.Error("the webhook secret was said")
	}
}

// TestNothingForDevelopersIsServed: no profiles, variables or dumps.
func TestNothingForDevelopersIsServed(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	for _, path := range []string{"/debug/pprof/", "/debug/vars", "/debug", "/env", "/config", "/.git/config"} {
		resp, err := http.Get("http://" + w.Addr + path)
		must(t, err)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s answers %s", path, resp.Status)
		}
	}
}
