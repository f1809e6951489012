package helm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/stagecoach-app/stagecoach/gitops/egress"
	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// request is one file to fetch.
type request struct {
	url    string
	most   int64  // bytes; a longer answer is refused
	accept string // media types
	bearer string // a registry's token; empty: the login, if there is one
	login  string // the address whose login is meant; empty: that of url
}

// statusError is an answer that is not the file.
type statusError struct {
	url, status string
	code        int
	challenge   string // WWW-Authenticate
}

func (e *statusError) Error() string { return fmt.Sprintf("GET %s: %s", e.url, e.status) }

// fetch gets a file. An error is Terminal unless it may pass: a network that
// failed, a server that did.
func fetch(ctx context.Context, remote *step.Remote, r request) ([]byte, error) {
	if remote == nil {
		return nil, step.Refuse("fetch %s: %w", r.url, step.ErrOffline)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, http.NoBody)
	if err != nil || req.URL.Scheme != "https" && req.URL.Scheme != "http" {
		return nil, step.Refuse("%q is no http address", r.url)
	}
	authorize(req, remote, r)
	resp, err := remote.Client.Do(req)
	if err != nil {
		if refused := new(egress.Refused); errors.As(err, &refused) {
			return nil, step.Refuse("fetch %s: %w", r.url, refused)
		}
		return nil, fmt.Errorf("fetch %s: %w", r.url, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, judged(&statusError{r.url, resp.Status, resp.StatusCode, resp.Header.Get("WWW-Authenticate")})
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, r.most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", r.url, err)
	case int64(len(content)) > r.most:
		return nil, step.Refuse("%s has more than %d bytes", r.url, r.most)
	}
	return content, nil
}

// authorize adds a token, or the login for the address.
func authorize(req *http.Request, remote *step.Remote, r request) {
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	if r.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+r.bearer)
		return
	}
	if remote.Login == nil || !private(req.URL) {
		return
	}
	address := r.login
	if address == "" {
		address = req.URL.Host + req.URL.Path
	}
	switch login := remote.Login(address); {
	case login.Token != "":
		req.Header.Set("Authorization", "Bearer "+login.Token)
	case login.User != "":
		req.SetBasicAuth(login.User, login.Password)
	}
}

// private reports whether nobody on the way can read what is sent: a login is not
// shown in the clear.
func private(u *url.URL) bool { return u.Scheme == "https" || scheme(u.Hostname()) == "http://" }

// judged says whether asking again can help.
func judged(err *statusError) error {
	switch {
	case err.code >= 500, err.code == http.StatusTooManyRequests, err.code == http.StatusRequestTimeout:
		return err
	case err.code == http.StatusUnauthorized, err.code == http.StatusForbidden:
		return step.Refuse("%w; it may not exist, or a login is needed", err)
	}
	return step.Refuse("%w", err)
}

// against resolves an address that stands in a file of the repository.
func against(base, ref string) (string, error) {
	b, err := url.Parse(base)
	if err != nil {
		return "", step.Refuse("%q is no address: %w", base, err)
	}
	r, err := url.Parse(ref)
	if err != nil {
		return "", step.Refuse("%q is no address: %w", ref, err)
	}
	return b.ResolveReference(r).String(), nil
}
