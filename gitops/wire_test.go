package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// TestCancel ends the context while a server hangs: before its answer, or in
// the midst of it.
func TestCancel(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, midst := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s midst %t", method, midst), func(t *testing.T) {
				s := newRemote(t)
				base := sample(s)
				r := s.open(t)
				ctx, cancel := context.WithCancel(t.Context())
				free := make(chan struct{})
				defer close(free)
				s.SetFault(func(w http.ResponseWriter, q *http.Request, _ http.Handler) bool {
					if q.Method != method {
						return false
					}
					if midst {
						service := "git-upload-pack"
						kind := "result"
						if method == http.MethodGet {
							kind = "advertisement"
						}
						w.Header().Set("Content-Type", "application/x-"+service+"-"+kind)
						fmt.Fprint(w, "001e# service=git-upload-pack\n0000")
						_ = http.NewResponseController(w).Flush()
					}
					cancel()
					<-free
					return true
				})
				begin := time.Now()
				var err error
				if method == http.MethodGet {
					_, err = r.Refs(ctx)
				} else {
					err = r.Fetch(ctx, []string{base})
				}
				wantIs(t, err, context.Canceled)
				if took := time.Since(begin); took > 5*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		}
	}
}

func TestTimeout(t *testing.T) {
	s := newRemote(t)
	e := must[*gitops.Engine](t)(gitops.New(t.TempDir(), gitops.Options{Timeout: 20 * time.Millisecond}))
	defer e.Close()
	free := make(chan struct{})
	defer close(free)
	s.SetFault(func(http.ResponseWriter, *http.Request, http.Handler) bool { <-free; return true })
	_, err := s.at(e).Refs(t.Context())
	if err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("error %v", err)
	}
}

func TestCutFetch(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	r := s.open(t)
	n := 0
	s.SetFault(func(w http.ResponseWriter, q *http.Request, serve http.Handler) bool {
		if n++; q.Method != http.MethodPost || n > 1 {
			return false
		}
		gitopstest.Cut(w)
		return true
	})
	if err := r.Fetch(t.Context(), []string{base}); err == nil || promotion.IsTerminal(err) {
		t.Errorf("error %v", err)
	}
	if err := r.Fetch(t.Context(), []string{base}); err != nil {
		t.Error(err)
	}
}

func TestRenamedRepository(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	e := engine(t, t.TempDir())
	must[*gitops.Workspace](t)(s.at(e).Workspace(t.Context(), root(base), nil))
	old := strings.Replace(s.URL, "gitops.git", "old-name.git", 1)
	met := 0
	s.SetFault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !strings.Contains(r.URL.Path, "old-name") {
			return false
		}
		met++
		to := strings.Replace(r.URL.String(), "old-name.git", "gitops.git", 1)
		http.Redirect(w, r, to, http.StatusMovedPermanently)
		return true
	})
	s.Reset()
	r := e.Repository(7, old, auth)
	must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	s.wantCounts(0, 0)
	next := s.commit("main", file{path: "a.yaml", content: "a: 1\n"})
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(next), nil))
	write(t, ws, "b.yaml", "b: 1\n")
	if _, err := r.Deliver(t.Context(), ws, request(""), push("main", next)); err != nil {
		t.Error(err)
	}
	if met != 1 {
		t.Errorf("the old name was asked %d times", met)
	}

	s.SetFault(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		http.Redirect(w, r, "http://elsewhere.example"+r.URL.String(), http.StatusFound)
		return true
	})
	if _, err := s.open(t).Refs(t.Context()); err == nil || !strings.Contains(err.Error(), "not followed") {
		t.Errorf("error %v", err)
	}
}

func TestWrongInput(t *testing.T) {
	s := newRemote(t)
	sample(s)
	e := engine(t, t.TempDir())
	for _, url := range []string{"", "git@github.com:acme/gitops.git", "file:///etc", "http://x-access-token:" + token + "@\x7f/"} {
		_, err := e.Repository(8, url, auth).Refs(t.Context())
		if err == nil {
			t.Errorf("%q is taken for a URL", url)
		}
		wantSecretFree(t, err)
	}
	r := s.at(e)
	if err := r.Fetch(t.Context(), []string{"main"}); !promotion.IsTerminal(err) {
		t.Errorf("error %v", err)
	}
	none := strings.Repeat("1", 40)
	if err := r.Fetch(t.Context(), []string{none}); err == nil || !strings.Contains(err.Error(), none) {
		t.Errorf("error %v", err)
	}
	failing := func(context.Context) (string, error) {
		return "", promotion.RetryAfter(time.Minute, errors.New("no token"))
	}
	_, err := e.Repository(7, s.URL, failing).Refs(t.Context())
	if wait, _ := promotion.WaitOf(err); wait != time.Minute {
		t.Errorf("error %v", err)
	}
	if _, err := e.Repository(7, s.URL, nil).Refs(t.Context()); err == nil {
		t.Error("no token is taken for one")
	}
	e.Close()
	_, err = r.ReadFiles(t.Context(), none, "README.md")
	wantIs(t, err, gitops.ErrClosed)
}

// TestCountsAndSecrets: what costs is told, and the token is nowhere on disk.
func TestCountsAndSecrets(t *testing.T) {
	s := newRemote(t)
	base := sample(s)
	var mu sync.Mutex
	counted := map[string]int{}
	count := func(what string) func(context.Context, int64) {
		return func(_ context.Context, id int64) {
			mu.Lock()
			defer mu.Unlock()
			counted[fmt.Sprintf("%s %d", what, id)]++
		}
	}
	dir := t.TempDir()
	e := must[*gitops.Engine](t)(gitops.New(dir, gitops.Options{OnFetch: count("fetch"), OnPush: count("push")}))
	defer e.Close()
	r := s.at(e)
	if _, err := r.Deliver(t.Context(), edited(t, r, base, "a.yaml", "a: 1\n"), request(""), push("main", base)); err != nil {
		t.Fatal(err)
	}
	if counted["fetch 7"] != s.Fetches() || counted["push 7"] != 1 || s.Pushes() != 1 {
		t.Errorf("counted %v, the server %d fetches and %d pushes", counted, s.Fetches(), s.Pushes())
	}
	for path := range tree(t, dir) {
		if data := must[[]byte](t)(os.ReadFile(path)); strings.Contains(string(data), token) {
			t.Errorf("%s holds the token", path)
		}
	}
}

// TestConnectionsAreKept reads a repository step by step: one connection serves all
// of it, also where something is refused.
func TestConnectionsAreKept(t *testing.T) {
	s := newRemote(t)
	base := large(s)
	var made atomic.Int64
	dial := &net.Dialer{}
	e := must[*gitops.Engine](t)(gitops.New(t.TempDir(), gitops.Options{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			made.Add(1)
			return dial.DialContext(ctx, network, addr)
		},
	}}))
	defer e.Close()
	r := s.at(e)
	ws := must[*gitops.Workspace](t)(r.Workspace(t.Context(), root(base), nil))
	must[[]byte](t)(ws.ReadFile(t.Context(), "teams/t07/app/f1.yaml"))
	for range 3 {
		must[gitops.Refs](t)(r.Refs(t.Context()))
		if err := r.Fetch(t.Context(), []string{strings.Repeat("1", 40)}); err == nil {
			t.Error("what is nowhere was fetched")
		}
	}
	if requests := s.Fetches() + s.Count("GET info/refs"); made.Load() > 1 || requests < 10 {
		t.Errorf("%d connections for %d requests", made.Load(), requests)
	}
}
