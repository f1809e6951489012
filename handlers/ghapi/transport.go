package ghapi

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// newTransport is the connection to GitHub: the default one, with a bound on
// each wait, so that a dead peer is noticed before the request's own timeout.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = 10 * time.Second
	t.ResponseHeaderTimeout = 25 * time.Second
	t.MaxIdleConnsPerHost = 20
	return t
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// movedError is a redirect that was not followed.
type movedError struct{ method, path, to string }

func (e *movedError) Error() string {
	return fmt.Sprintf("%s %s was answered with a redirect to %s, which was not followed", e.method, e.path, e.to)
}

// redirects holds back two that would do harm. net/http turns a redirected
// PATCH, POST or PUT into a GET on 301 and 302, and go-github would report a
// success with nothing written. And the token is added to each request of the
// client, so one that is redirected to another host would give it away.
type redirects struct {
	next http.RoundTripper
	base *url.URL
}

func (r *redirects) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.EqualFold(req.URL.Host, r.base.Host) || req.URL.Scheme != r.base.Scheme {
		closeBody(req)
		return nil, &movedError{req.Method, req.URL.Path, req.URL.Scheme + "://" + req.URL.Host}
	}
	resp, err := r.next.RoundTrip(req)
	if err != nil || isRead(req.Method) {
		return resp, err
	}
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		_ = resp.Body.Close()
		return nil, &movedError{req.Method, req.URL.Path, resp.Header.Get("Location")}
	}
	return resp, nil
}

// deadline bounds a request, its token and its answer's body included, but not
// the wait for its turn; that is why it is no timeout of the client.
type deadline struct {
	next http.RoundTripper
	most time.Duration
}

func (d *deadline) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), d.most)
	resp, err := d.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &cancelingBody{resp.Body, cancel}
	return resp, nil
}

type cancelingBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *cancelingBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// closeBody does what a RoundTripper owes a request that it does not send.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
