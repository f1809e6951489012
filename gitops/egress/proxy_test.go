package egress

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

func noProxy(*http.Request) (*url.URL, error) { return nil, nil }

// forwarding is a proxy at a private address that answers what it is asked for itself.
type forwarding struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newProxy(t *testing.T) *forwarding {
	f := &forwarding{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.asked = append(f.asked, r.Method+" "+r.RequestURI)
		f.mu.Unlock()
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *forwarding) of(t *testing.T) proxyOf {
	u, err := url.Parse(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	return func(req *http.Request) (*url.URL, error) {
		if req.URL.Hostname() == "direct.example.com" {
			return nil, nil
		}
		return u, nil
	}
}

// names are what can be looked up in these tests; all others fail.
func names(_ context.Context, host string) ([]netip.Addr, error) {
	known := map[string]string{"public.example.com": "8.8.8.8", "private.example.com": "192.168.3.4", "direct.example.com": "10.1.1.1"}
	if addr, ok := known[host]; ok {
		return []netip.Addr{netip.MustParseAddr(addr)}, nil
	}
	return nil, errors.New("no such host")
}

// What a proxy is asked for is judged before it is asked.
func TestProxy(t *testing.T) {
	p, err := New([]string{"10.9.0.0/16", "charts.internal"})
	if err != nil {
		t.Fatal(err)
	}
	for ask, refused := range map[string]string{
		"http://8.8.8.8/":                  "",
		"http://public.example.com/":       "",
		"http://not-known.example/":        "", // the proxy looks it up
		"http://10.9.1.1/":                 "", // the operator allows it
		"http://charts.internal/":          "",
		"http://127.0.0.1/":                "127.0.0.1 is at the address 127.0.0.1",
		"http://[::1]/":                    "::1 is at the address ::1",
		"http://169.254.169.254/":          "169.254.169.254, which is not public",
		"http://private.example.com/":      "private.example.com is at the address 192.168.3.4",
		"http://intranet/":                 "intranet is a name of an inner network",
		"http://metadata.google.internal/": "a name of an inner network",
		"http://printer.LOCAL./":           "a name of an inner network",
		"http://0177.0.0.1/":               "a name of an inner network",
		"http://0x7f.1/":                   "a name of an inner network",
		"http://127.0x1/":                  "a name of an inner network",
		"http://2130706433/":               "a name of an inner network",
		"http://direct.example.com/":       "direct.example.com is at the address 10.1.1.1", // not by the proxy
		"http://public.example.com/away":   "10.0.0.1 is at the address 10.0.0.1",
	} {
		proxy := newProxy(t)
		_, err := get(t, p.client(names, proxy.of(t)), ask)
		isRefused := new(Refused)
		want := []string{"GET " + ask}
		switch {
		case refused == "" && err != nil:
			t.Errorf("%s: %v", ask, err)
		case refused != "" && (err == nil || !errors.As(err, &isRefused) || !strings.Contains(err.Error(), refused) || !strings.Contains(err.Error(), "STAGECOACH_ALLOW_HOSTS")):
			t.Errorf("%s: %v, want that %s", ask, err, refused)
		case refused != "" && !strings.HasSuffix(ask, "/away"):
			want = nil
		}
		if !slices.Equal(proxy.asked, want) {
			t.Errorf("%s: the proxy was asked %q, want %q", ask, proxy.asked, want)
		}
	}
}

// TLS goes through the proxy end to end; a refused address is not asked for.
func TestProxyOfTLS(t *testing.T) {
	proxy := newProxy(t)
	c := new(Policy).client(names, proxy.of(t))
	_, _ = get(t, c, "https://not-known.example/secret") // the proxy of this test makes no tunnel
	if _, err := get(t, c, "https://10.0.0.1/"); err == nil {
		t.Error("a private address was asked for")
	}
	if want := []string{"CONNECT not-known.example:443"}; !slices.Equal(proxy.asked, want) {
		t.Errorf("the proxy was asked %q, want %q", proxy.asked, want)
	}
}

// A proxy that is there for the first look alone does not have the guard passed by.
func TestProxyThatGoesAway(t *testing.T) {
	inside, requests := server(t, func(http.ResponseWriter, *http.Request) {})
	times := 0
	c := new(Policy).client(func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }, func(*http.Request) (*url.URL, error) {
		if times++; times == 1 {
			return url.Parse("http://127.0.0.1:1")
		}
		return nil, nil
	})
	if _, err := get(t, c, strings.Replace(inside.URL, "127.0.0.1", "not-known.example", 1)); err == nil || !strings.Contains(err.Error(), "no proxy") || *requests != 0 {
		t.Errorf("%v after %d requests", err, *requests)
	}
}

// TestProxyOfTheEnvironment runs this test again with HTTP_PROXY set, which Go reads once.
func TestProxyOfTheEnvironment(t *testing.T) {
	if os.Getenv("EGRESS_TEST_ASK") != "" {
		status, err := get(t, new(Policy).Client(), "http://93.184.215.14/through")
		t.Log(status, err)
		_, err = get(t, new(Policy).Client(), "http://10.0.0.1/")
		t.Log("private:", err)
		return
	}
	proxy := newProxy(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestProxyOfTheEnvironment$", "-test.v")
	cmd.Env = append(os.Environ(), "EGRESS_TEST_ASK=1", "HTTP_PROXY="+proxy.URL, "http_proxy=", "NO_PROXY=", "no_proxy=", "REQUEST_METHOD=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if !slices.Equal(proxy.asked, []string{"GET http://93.184.215.14/through"}) || !strings.Contains(out.String(), "200 OK") || !strings.Contains(out.String(), "10.0.0.1, which is not public") {
		t.Errorf("the proxy was asked %q; %s", proxy.asked, out.String())
	}
}

func TestBounded(t *testing.T) {
	s, _ := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1000)) })
	for most, fails := range map[int64]bool{999: true, 1000: false, 1: true} {
		p, err := New([]string{"127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		c := &http.Client{Transport: Bounded(p.Client().Transport, most)}
		t.Cleanup(c.CloseIdleConnections)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		_, err = got.ReadFrom(resp.Body)
		_ = resp.Body.Close()
		large := new(TooLarge)
		if fails != errors.As(err, &large) || int64(got.Len()) != min(most, 1000) {
			t.Errorf("of 1000 bytes at most %d: %d and %v", most, got.Len(), err)
		}
	}
}
