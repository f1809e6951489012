package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Refused is the error for an address that the policy does not allow.
type Refused struct {
	Host string     // as it was asked for
	Addr netip.Addr // not valid: the name cannot be looked up, and is one of an inner network
}

func (e *Refused) Error() string {
	if !e.Addr.IsValid() {
		return fmt.Sprintf("%s is a name of an inner network; an operator may allow it by STAGECOACH_ALLOW_HOSTS", e.Host)
	}
	return fmt.Sprintf("%s is at the address %s, which is not public; an operator may allow it by STAGECOACH_ALLOW_HOSTS", e.Host, e.Addr)
}

// The bounds of a connection; those of a whole request are the caller's.
const (
	dialTimeout   = 10 * time.Second
	headerTimeout = 30 * time.Second
	maxRedirects  = 5
)

// resolve looks a host up. Tests put other answers in its place.
type resolve func(ctx context.Context, host string) ([]netip.Addr, error)

func lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// Client returns a client that sends nothing to where the policy does not allow it.
// It follows a few redirects, none of them from https to http, and goes through the
// proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
func (p *Policy) Client() *http.Client { return p.client(lookup, http.ProxyFromEnvironment) }

func (p *Policy) client(look resolve, proxy proxyOf) *http.Client {
	return &http.Client{
		Transport: newRoute(p, look, proxy),
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case len(via) >= maxRedirects:
				return fmt.Errorf("more than %d redirects", maxRedirects)
			case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
				return errors.New("a redirect from https to http is not followed")
			}
			return nil
		},
	}
}

// transport is one without proxy and dialer.
func transport() *http.Transport {
	return &http.Transport{
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: headerTimeout,
		IdleConnTimeout:       time.Minute,
		MaxIdleConnsPerHost:   2,
		ForceAttemptHTTP2:     true,
	}
}

// dial connects to the first address of a host that answers; all of them must be allowed.
func (p *Policy) dial(look resolve) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("read the address %s: %w", address, err)
		}
		addrs, err := p.judged(ctx, look, host)
		if err != nil {
			return nil, err
		}
		dialer := net.Dialer{Timeout: dialTimeout}
		var failed error
		for _, addr := range addrs {
			conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(addr.String(), port))
			if err == nil {
				return conn, nil
			}
			failed = errors.Join(failed, err)
		}
		return nil, fmt.Errorf("connect to %s: %w", host, failed)
	}
}

// judged returns the addresses of a host. One that is not allowed spoils them
// all: a name that is both public and private is no honest one.
func (p *Policy) judged(ctx context.Context, look resolve, host string) ([]netip.Addr, error) {
	addrs := []netip.Addr{}
	if addr, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, addr)
	} else if addrs, err = look(ctx, host); err != nil {
		return nil, fmt.Errorf("look up %s: %w", host, err)
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("look up %s: it has no address", host)
	}
	for _, addr := range addrs {
		if !p.allows(host, addr) {
			return nil, &Refused{host, addr.Unmap()}
		}
	}
	return addrs, nil
}
