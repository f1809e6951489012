package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// The two services of git's smart HTTP protocol.
// https://git-scm.com/docs/http-protocol
const (
	uploadPack  = "git-upload-pack"
	receivePack = "git-receive-pack"
)

// maxRedirects bounds how often a repository may have moved.
const maxRedirects = 4

var errTimeout = errors.New("the server did not answer in time")

// call sends one request, GET info/refs when body is nil, else POST, and lets
// read have the answer. Whatever goes wrong comes out in the words of the core,
// without the token.
func (r *Repository) call(ctx context.Context, service string, body []byte, read func(io.Reader) error) error {
	if r.urlErr != nil {
		return r.urlErr
	}
	token, err := r.token(ctx)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, r.engine.opts.Timeout)
	defer cancel()
	err = r.follow(limited, service, body, token, read)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", r.doing(service), ctx.Err())
	case limited.Err() != nil:
		err = fmt.Errorf("%w (%s)", errTimeout, r.engine.opts.Timeout)
	}
	return fmt.Errorf("%s: %w", r.doing(service), hide(err, token))
}

func (r *Repository) doing(service string) string {
	if service == receivePack {
		return "push to " + r.name()
	}
	return "fetch from " + r.name()
}

func (r *Repository) token(ctx context.Context) (string, error) {
	if r.auth == nil {
		return "", nil
	}
	token, err := r.auth(ctx)
	if err != nil {
		return "", fmt.Errorf("get credentials for %s: %w", r.name(), err)
	}
	return token, nil
}

// follow sends the request, and again where a redirect leads. A repository
// that was renamed answers with one; it is remembered, so that it is met once.
func (r *Repository) follow(ctx context.Context, service string, body []byte, token string, read func(io.Reader) error) error {
	base := r.base()
	for range maxRedirects {
		res, err := r.send(ctx, base, service, body, token)
		if err != nil {
			return err
		}
		next, err := movedTo(res, base, suffix(service, body))
		if next == nil {
			if err == nil {
				err = answer(res, service, read)
			}
			finish(res, service)
			return err
		}
		_ = res.Body.Close()
		base = next
		r.clone.remember(r.url, base)
	}
	return errors.New("the server redirects again and again")
}

// maxRest bounds what is read of an answer whose content is known already, in bytes.
const maxRest = 64 << 10

// finish reads to the end of an answer, so that its connection serves the next
// request: HTTP/1 gives up one that was not read. Not that of a push: there a server
// may tidy up before it ends.
func finish(res *http.Response, service string) {
	if service != receivePack || res.Request.Method == http.MethodGet {
		_, _ = io.CopyN(io.Discard, res.Body, maxRest)
	}
	_ = res.Body.Close()
}

func (r *Repository) base() *url.URL {
	r.clone.mu.Lock()
	defer r.clone.mu.Unlock()
	if to := r.clone.moved[r.url.String()]; to != nil {
		return to
	}
	return r.url
}

func (c *clone) remember(from, to *url.URL) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved[from.String()] = to
}

func suffix(service string, body []byte) string {
	if body == nil {
		return "/info/refs"
	}
	return "/" + service
}

func (r *Repository) send(ctx context.Context, base *url.URL, service string, body []byte, token string) (*http.Response, error) {
	u, method := *base, http.MethodPost
	u.Path += suffix(service, body)
	if body == nil {
		method, u.RawQuery = http.MethodGet, "service="+service
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", r.engine.opts.UserAgent)
	if body != nil {
		req.Header.Set("Content-Type", "application/x-"+service+"-request")
		req.Header.Set("Accept", "application/x-"+service+"-result")
	}
	if token != "" {
		req.SetBasicAuth("x-access-token", token)
	}
	res, err := r.engine.http.Do(req)
	if told := r.engine.opts.OnRefused; err == nil && res.StatusCode == http.StatusUnauthorized && token != "" && told != nil {
		told(token)
	}
	return res, err
}

// movedTo reads a redirect: to where base moved, nil if it did not. It is
// followed on the same host only, because the token goes along.
func movedTo(res *http.Response, base *url.URL, suffix string) (*url.URL, error) {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	to, err := res.Location()
	if err != nil {
		return nil, errors.New("the server redirects to nowhere")
	}
	path, fits := strings.CutSuffix(to.Path, suffix)
	if !fits || to.Scheme != base.Scheme || to.Host != base.Host {
		return nil, fmt.Errorf("the server redirects to %s://%s%s, which is not followed: it is another place than %s",
			to.Scheme, to.Host, to.Path, base.Host)
	}
	return &url.URL{Scheme: base.Scheme, Host: base.Host, Path: path}, nil
}

// errOdd marks an answer that is none of git's protocol, so that it is not known
// what the server did.
var errOdd = errors.New("the answer is not git's")

// answer checks the status and the type of an answer before it is read.
func answer(res *http.Response, service string, read func(io.Reader) error) error {
	if res.StatusCode != http.StatusOK {
		return statusError(res, service)
	}
	if got := res.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/x-"+service+"-") {
		return fmt.Errorf("%w but %q: is the address right?", errOdd, got)
	}
	return read(res.Body)
}
