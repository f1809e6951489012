package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// proxyOf names the proxy that a request goes through; nil: none.
type proxyOf func(*http.Request) (*url.URL, error)

// route sends each request the way that the environment says. Without a proxy the
// address that is dialed is judged. A proxy dials in the guard's place, so there
// what it is asked for is judged before it is asked.
type route struct {
	policy          *Policy
	look            resolve
	proxy           proxyOf
	direct, through *http.Transport
}

func newRoute(p *Policy, look resolve, proxy proxyOf) *route {
	r := &route{policy: p, look: look, proxy: proxy, direct: transport(), through: transport()}
	r.direct.DialContext = p.dial(look)
	r.through.DialContext = (&net.Dialer{Timeout: dialTimeout}).DialContext // to the proxy, which the operator chose
	r.through.Proxy = func(req *http.Request) (*url.URL, error) {
		at, err := proxy(req)
		if err == nil && at == nil { // it would be dialed without the guard
			err = fmt.Errorf("there is no proxy for %s any more", req.URL.Host)
		}
		return at, err
	}
	return r
}

// RoundTrip implements http.RoundTripper.
func (r *route) RoundTrip(req *http.Request) (*http.Response, error) {
	at, err := r.proxy(req)
	switch {
	case err != nil:
		return nil, fmt.Errorf("find the proxy for %s: %w", req.URL.Host, err)
	case at == nil:
		return r.direct.RoundTrip(req)
	}
	if err := r.policy.judgeProxied(req.Context(), r.look, req.URL.Hostname()); err != nil {
		return nil, err
	}
	return r.through.RoundTrip(req)
}

// CloseIdleConnections is called by that of http.Client.
func (r *route) CloseIdleConnections() {
	r.direct.CloseIdleConnections()
	r.through.CloseIdleConnections()
}

// lookupTimeout bounds the look-up of a name that a proxy will look up as well.
const lookupTimeout = 5 * time.Second

// judgeProxied judges a host that a proxy is asked for. Behind a proxy the names of
// the world outside often cannot be looked up; such a name is the proxy's to judge,
// unless it is one that has no meaning there.
func (p *Policy) judgeProxied(ctx context.Context, look resolve, host string) error {
	if p.named(host) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	_, err := p.judged(limited, look, host)
	refused := new(Refused)
	switch {
	case err == nil, errors.As(err, &refused):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case inner(host):
		return &Refused{Host: host}
	}
	return nil
}

// innerEnds are the ends of names that mean something inside a network alone:
// https://www.iana.org/assignments/special-use-domain-names, those that
// https://www.rfc-editor.org/rfc/rfc6762#appendix-G names, and .internal, which is
// kept free for that.
var innerEnds = []string{".local", ".localhost", ".internal", ".intranet", ".private", ".corp", ".home", ".lan", ".arpa", ".test"}

// inner reports whether a name that cannot be looked up is one of an inner network.
func inner(host string) bool {
	name := normal(host)
	if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") {
		return true
	}
	for _, end := range innerEnds {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return numeric(name)
}

// numeric reports whether a host may be read as an IPv4 address in one of its odd
// spellings, 0177.1 or 0x7f.0.0.1: https://url.spec.whatwg.org/#ends-in-a-number-checker
func numeric(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if rest, hex := strings.CutPrefix(last, "0x"); hex {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}
