package ghapi_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcrowley/go-metrics"

	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// through puts a hand between the API and GitHub; answer may decide to answer itself.
func (w *world) through(answer func(*http.Request) *http.Response) {
	wire := w.opts.Transport
	w.opts.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		if resp := answer(r); resp != nil {
			resp.Request = r
			return resp, nil
		}
		return wire.RoundTrip(r)
	})
	w.API = w.newAPI()
}

// respond is an answer of GitHub's; header has names and values in turn.
func respond(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

func redirect(status int, to string) *http.Response { return respond(status, "", "Location", to) }

// net/http would repeat the write as a read, and the read would succeed.
func TestARedirectedWriteIsNoSuccess(t *testing.T) {
	for _, status := range []int{301, 302, 303} {
		w := newWorld(t)
		w.commentBy("octocat")
		w.through(func(r *http.Request) *http.Response {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/comments") {
				return redirect(status, w.APIURL()+"/moved")
			}
			if strings.HasSuffix(r.URL.Path, "/moved") {
				return respond(200, `{"id":1}`)
			}
			return nil
		})
		if err := w.comment(); err == nil || promotion.IsTerminal(err) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// A 307 is followed with the same method and body.
func TestARenamedRepositoryTakesWrites(t *testing.T) {
	w := newWorld(t)
	issue, _ := w.commentBy("octocat")
	_, err := w.RenameRepo(w.gitops, "deployments")
	must(t, err)
	must(t, w.comment())
	if n := len(w.Comments(w.gitops, issue)); n != 2 {
		t.Errorf("there are %d comments", n)
	}
}

// The token is added to each request of a client, so none may go elsewhere.
func TestNoTokenLeavesTheHost(t *testing.T) {
	w := newWorld(t)
	strangers := 0
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers++ }))
	defer stranger.Close()
	w.through(func(r *http.Request) *http.Response {
		if strings.HasSuffix(r.URL.Path, "/repos/acme/gitops") {
			return redirect(302, stranger.URL+"/elsewhere")
		}
		return nil
	})
	if _, err := w.Repository(t.Context(), w.repo()); err == nil || !strings.Contains(err.Error(), "not followed") {
		t.Errorf("got %v", err)
	}
	if strangers > 0 {
		t.Error("another host was asked")
	}
}

func TestRequestsHaveADeadline(t *testing.T) {
	w := newWorld(t)
	w.opts.Timeout = 50 * time.Millisecond
	wire := w.opts.Transport
	w.opts.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/comments") {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return wire.RoundTrip(r)
	})
	w.API = w.newAPI()
	err := w.comment()
	if _, told := promotion.WaitOf(err); err == nil || told || promotion.IsTerminal(err) {
		t.Errorf("got %v", err)
	}
}

// 30 writes at once, then one a second; reads do not wait.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Duration
		start := time.Now()
		pace := ghapi.NewPace(roundTripper(func(*http.Request) (*http.Response, error) {
			sent = append(sent, time.Since(start))
			return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
		}))
		send := func(ctx context.Context, method string) error {
			req, err := http.NewRequestWithContext(ctx, method, "https://api.github.com/x", nil)
			must(t, err)
			_, err = pace.RoundTrip(req)
			return err
		}
		for range 32 {
			must(t, send(t.Context(), http.MethodPost))
		}
		must(t, send(t.Context(), http.MethodGet))
		if sent[29] != 0 || sent[30] != time.Second || sent[31] != 2*time.Second || sent[32] != 2*time.Second {
			t.Errorf("sent after %v", sent[29:])
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := send(ctx, http.MethodPatch); err == nil || len(sent) != 33 {
			t.Errorf("a write whose time is over: %v", err)
		}
	})
}

func TestCache(t *testing.T) {
	view, used := ghapi.NewCache(3 << 20)
	one, two := view(1), view(2)
	one.Set("GET x", []byte("one"))
	if _, ok := two.Get("GET x"); ok {
		t.Error("an installation sees another's answer")
	}
	one.Set("GET x", []byte("three"))
	if got, ok := one.Get("GET x"); !ok || string(got) != "three" || used() != len("1 GET x")+len("three") {
		t.Errorf("got %q, %v; %d bytes", got, ok, used())
	}
	one.Set("GET x", bytes.Repeat([]byte("x"), 2<<20))
	if _, ok := one.Get("GET x"); ok || used() != 0 {
		t.Errorf("an answer that is too large is kept, or its old one; %d bytes", used())
	}
	for i := range 10 {
		two.Set("GET "+strings.Repeat("y", i), bytes.Repeat([]byte("y"), 1<<19))
	}
	if used() > 3<<20 || used() < 2<<20 {
		t.Errorf("%d bytes are used", used())
	}
	two.Delete("GET " + strings.Repeat("y", 9))
	if _, ok := two.Get("GET " + strings.Repeat("y", 9)); ok {
		t.Error("a deleted answer is there")
	}
}

func TestMetricsCountRequests(t *testing.T) {
	w := newWorld(t)
	w.opts.Metrics = metrics.NewRegistry()
	w.API = w.newAPI()
	_, err := w.Repository(t.Context(), w.repo())
	must(t, err)
	if got := w.opts.Metrics.Get("github.requests").(metrics.Counter).Count(); got != 1 {
		t.Errorf("%d requests", got)
	}
}

func TestUserAgent(t *testing.T) {
	w := newWorld(t)
	w.opts.UserAgent = "stagecoach/1.2.3"
	var agents []string
	w.through(func(r *http.Request) *http.Response {
		if strings.HasSuffix(r.URL.Path, "/repos/acme/gitops") {
			agents = append(agents, r.UserAgent())
		}
		return nil
	})
	_, err := w.Repository(t.Context(), w.repo())
	must(t, err)
	if len(agents) != 1 || !strings.HasPrefix(agents[0], "stagecoach/1.2.3") {
		t.Errorf("agents %q", agents)
	}
}

// A body that is cut off in the middle is an error, and may be tried again.
func TestACutBody(t *testing.T) {
	w := newWorld(t)
	w.through(func(r *http.Request) *http.Response {
		if strings.HasSuffix(r.URL.Path, "/repos/acme/gitops") {
			return respond(200, `{"id": 1`)
		}
		return nil
	})
	if _, err := w.Repository(t.Context(), w.repo()); err == nil || promotion.IsTerminal(err) {
		t.Errorf("got %v", err)
	}
}
