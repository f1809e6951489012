package ghapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v57/github"
	"github.com/gregjones/httpcache"
	"github.com/palantir/go-githubapp/githubapp"
	"github.com/rs/zerolog"
)

// account is what one installation has of its own.
type account struct {
	client *github.Client
	tokens *tokens
}

// account returns an installation's account, made when there is none.
func (a *API) account(installation int64) (*account, error) {
	if installation <= 0 {
		return nil, errors.New("the repository's installation is not known")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if known, ok := a.accounts.Get(installation); ok {
		return known, nil
	}
	made, err := a.newAccount(installation)
	if err != nil {
		return nil, fmt.Errorf("set up the client of installation %d: %w", installation, err)
	}
	a.accounts.Add(installation, made)
	return made, nil
}

func (a *API) newAccount(installation int64) (*account, error) {
	tokens, err := newTokens(a.opts.Transport, a.pause, func(over http.RoundTripper) (*ghinstallation.Transport, error) {
		token, err := ghinstallation.New(over, a.opts.AppID, installation, a.opts.PrivateKey)
		if err == nil {
			token.BaseURL = strings.TrimSuffix(a.base.String(), "/")
		}
		return token, err
	})
	if err != nil {
		return nil, err
	}
	client, err := a.creator(installation, tokens).NewInstallationClient(installation)
	if err != nil {
		return nil, err
	}
	return &account{client: client, tokens: tokens}, nil
}

// pause is sleep, which tests replace after the API was made.
func (a *API) pause(ctx context.Context, d time.Duration) error { return a.sleep(ctx, d) }

// creator makes go-githubapp's clients for one installation; 0 is the App. Each
// has a creator of its own, because what the middleware knows is its own: the
// pace and the rate limit of an installation are shared by its repositories and
// by nobody else.
//
// alwaysValidate is what makes reads true: without it httpcache answers from
// memory for a minute. https://github.com/palantir/go-githubapp#client-options
func (a *API) creator(installation int64, over http.RoundTripper) githubapp.ClientCreator {
	middleware := []githubapp.ClientMiddleware{
		githubapp.ClientLogging(zerolog.DebugLevel),
		func(next http.RoundTripper) http.RoundTripper { return &redirects{next: next, base: a.base} },
		func(next http.RoundTripper) http.RoundTripper { return newLimits(next, a.opts.Now) },
		func(next http.RoundTripper) http.RoundTripper { return newPace(next, a.opts.NoPace) },
		func(next http.RoundTripper) http.RoundTripper { return &deadline{next: next, most: a.opts.Timeout} },
	}
	if a.opts.Metrics != nil {
		middleware = append(middleware, githubapp.ClientMetrics(a.opts.Metrics))
	}
	return githubapp.NewClientCreator(a.base.String(), "", a.opts.AppID, a.opts.PrivateKey,
		githubapp.WithTransport(over),
		githubapp.WithClientUserAgent(a.opts.UserAgent),
		githubapp.WithClientMiddleware(middleware...),
		githubapp.WithClientCaching(true, func() httpcache.Cache { return a.cache.view(installation) }),
	)
}

// Token returns a token of the installation, good for at least a minute. It is
// a secret: hand it to git and keep it nowhere.
func (a *API) Token(ctx context.Context, installation int64) (string, error) {
	account, err := a.account(installation)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	token, err := account.tokens.forGit(ctx)
	if err != nil {
		return "", a.classify(err, "reach the repository", false)
	}
	return token, nil
}
