package egress

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestPublic(t *testing.T) {
	for addr, want := range map[string]bool{
		"140.82.121.3": true, "8.8.8.8": true, "2606:50c0:8000::153": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false, "255.255.255.255": false, "224.0.0.1": false, "198.18.0.1": false,
		"::1": false, "::": false, "fe80::1%eth0": false, "fd00::1": false, "::ffff:127.0.0.1": false, "::7f00:1": false,
		"64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001::1": false, "ff02::1": false, "fec0::1": false,
	} {
		if got := new(Policy).allows("host", netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: allowed is %v", addr, got)
		}
	}
}

func TestAllowed(t *testing.T) {
	p, err := New([]string{"10.0.0.0/8", " 192.168.0.7 ", "Registry.internal.", "fd00::/8", "[::1]"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		host, addr string
		want       bool
	}{
		{"a", "10.9.9.9", true}, {"a", "::ffff:10.9.9.9", true}, {"a", "192.168.0.7", true}, {"a", "192.168.0.8", false},
		{"a", "fd12::1", true}, {"a", "::1", true}, {"a", "127.0.0.1", false},
		{"REGISTRY.internal", "127.0.0.1", true}, {"registry.internal.", "127.0.0.1", true}, {"x.registry.internal", "127.0.0.1", false},
	} {
		if got := p.allows(tt.host, netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("%s at %s: allowed is %v", tt.host, tt.addr, got)
		}
	}
	for _, wrong := range []string{"", "10.0.0.0/99", "https://a", "a:80", "*.internal", "a b"} {
		if _, err := New([]string{wrong}); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
}

// server counts requests; its address is private.
func server(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *int) {
	t.Helper()
	requests := new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests++
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s, requests
}

func get(t *testing.T, c *http.Client, url string) (string, error) {
	t.Helper()
	t.Cleanup(c.CloseIdleConnections)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.Status, nil
}

func TestPrivateAddressesAreNotDialed(t *testing.T) {
	s, requests := server(t, func(http.ResponseWriter, *http.Request) {})
	_, err := get(t, new(Policy).Client(), s.URL)
	if refused := new(Refused); !errors.As(err, &refused) || !strings.Contains(err.Error(), "STAGECOACH_ALLOW_HOSTS") || *requests != 0 {
		t.Errorf("%v after %d requests", err, *requests)
	}
	p, err := New([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := get(t, p.Client(), s.URL); err != nil || status != "200 OK" {
		t.Errorf("an allowed address: %s, %v", status, err)
	}
}

// A name whose answers change cannot lead elsewhere: what is judged is what is dialed.
func TestRebinding(t *testing.T) {
	s, requests := server(t, func(http.ResponseWriter, *http.Request) {})
	port := strings.Split(s.URL, ":")[2]
	looks := 0
	c := new(Policy).client(func(context.Context, string) ([]netip.Addr, error) {
		looks++
		return []netip.Addr{netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("127.0.0.1")}, nil
	}, noProxy)
	_, err := get(t, c, "http://charts.example.com:"+port)
	if refused := new(Refused); !errors.As(err, &refused) || refused.Addr.String() != "127.0.0.1" || looks != 1 || *requests != 0 {
		t.Errorf("%v after %d lookups and %d requests", err, looks, *requests)
	}
}

func TestRedirects(t *testing.T) {
	inside, requests := server(t, func(http.ResponseWriter, *http.Request) {})
	outside, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/loop" {
			http.Redirect(w, r, "/loop", http.StatusFound)
			return
		}
		http.Redirect(w, r, strings.Replace(inside.URL, "127.0.0.1", "inside.example.com", 1), http.StatusFound)
	})
	p, err := New([]string{"outside.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	c := p.client(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}, noProxy)
	at, err := url.Parse(outside.URL)
	if err != nil {
		t.Fatal(err)
	}
	base := "http://outside.example.com:" + at.Port()
	_, err = get(t, c, base)
	if refused := new(Refused); !errors.As(err, &refused) || refused.Host != "inside.example.com" || *requests != 0 {
		t.Errorf("a redirect to a private address: %v after %d requests", err, *requests)
	}
	if _, err := get(t, c, base+"/loop"); err == nil || !strings.Contains(err.Error(), "more than 5 redirects") {
		t.Errorf("a loop: %v", err)
	}
	down := c.CheckRedirect(&http.Request{URL: &url.URL{Scheme: "http"}}, []*http.Request{{URL: &url.URL{Scheme: "https"}}})
	if down == nil {
		t.Error("https was left")
	}
}
