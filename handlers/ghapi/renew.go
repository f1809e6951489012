package ghapi

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
)

const (
	// tokenLag is how long parts of GitHub may not know a new token: they answer 404.
	tokenLag = 5 * time.Second
	// lagTries is how often a request is sent again for that: after a second, and two more.
	lagTries = 2
	// renewEvery is how often tokens are renewed, at most, because GitHub refused one.
	renewEvery = 10 * time.Second
)

// tokens are those of one installation. Each lives for an hour, and is replaced before
// that by whoever made it; one that GitHub refuses earlier, because somebody revoked it
// or GitHub's clock is not ours, is replaced here.
type tokens struct {
	next http.RoundTripper
	make func(http.RoundTripper) (*ghinstallation.Transport, error)
	wait func(context.Context, time.Duration) error

	mu      sync.Mutex
	git     *ghinstallation.Transport // for git, which needs the token itself
	api     *ghinstallation.Transport // for requests; nil: the client's own
	renewed time.Time
	minted  time.Time // when GitHub made the newest one for requests
	proven  bool      // a request with that one was answered
	gave    string    // the token that git got last
}

// newTokens makes the tokens of an installation; make gives what asks for them.
func newTokens(next http.RoundTripper, wait func(context.Context, time.Duration) error, make func(http.RoundTripper) (*ghinstallation.Transport, error)) (*tokens, error) {
	t := &tokens{next: next, wait: wait, make: make}
	var err error
	t.git, err = make(next)
	return t, err
}

// forGit is a token that is good for at least a minute.
func (t *tokens) forGit(ctx context.Context) (string, error) {
	t.mu.Lock()
	source := t.git
	t.mu.Unlock()
	token, err := source.Token(ctx)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gave = token
	return token, nil
}

// refused reports whether git got a token that was refused, which is replaced then.
func (t *tokens) refused(token string) bool {
	t.mu.Lock()
	mine := t.gave != "" && t.gave == token
	t.mu.Unlock()
	return mine && t.renew()
}

// renew has new tokens made. It reports whether it is worth asking again.
func (t *tokens) renew() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.renewed) < renewEvery {
		return false
	}
	git, err := t.make(t.next)
	if err != nil {
		return false
	}
	api, err := t.make(t)
	if err != nil {
		return false
	}
	t.git, t.api, t.renewed = git, api, time.Now()
	return true
}

func (t *tokens) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(req.Header.Get("Authorization"), "token ") {
		return t.mint(req)
	}
	for try := 1; ; try++ {
		resp, err := t.send(req)
		if err != nil || try > lagTries {
			return resp, err
		}
		again, ok := repeated(req)
		if !ok || !t.worthAsking(req.Context(), resp, time.Duration(try)*time.Second) {
			return resp, nil
		}
		_ = resp.Body.Close()
		req = again
	}
}

// mint passes on the App's request for a token.
func (t *tokens) mint(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusCreated {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.minted, t.proven = time.Now(), false
	}
	return resp, err
}

// send sends a request with the token of now.
func (t *tokens) send(req *http.Request) (*http.Response, error) {
	t.mu.Lock()
	source := t.api
	t.mu.Unlock()
	if source == nil {
		return t.next.RoundTrip(req)
	}
	token, err := source.Token(req.Context())
	if err != nil {
		closeBody(req)
		return nil, err
	}
	signed := req.Clone(req.Context())
	signed.Header.Set("Authorization", "token "+token)
	return t.next.RoundTrip(signed)
}

// worthAsking reports whether the same request may be answered otherwise: with another
// token, or once all of GitHub knows the one that was made a moment ago.
func (t *tokens) worthAsking(ctx context.Context, resp *http.Response, pause time.Duration) bool {
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return t.renew()
	case http.StatusNotFound:
		return t.mayBeUnknown() && t.wait(ctx, pause) == nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.proven = true
	return false
}

// mayBeUnknown reports whether the token for requests is new, and none was answered yet.
func (t *tokens) mayBeUnknown() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.proven && time.Since(t.minted) < tokenLag
}

// Refused says that git was refused with a token that Token gave: the next one that
// Token gives is another.
func (a *API) Refused(token string) {
	a.mu.Lock()
	all := a.accounts.Values()
	a.mu.Unlock()
	for _, account := range all {
		if account.tokens.refused(token) {
			return
		}
	}
}
