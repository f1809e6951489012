package ghapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v57/github"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rcrowley/go-metrics"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// Options say where GitHub is and who we are there.
type Options struct {
	WebURL     string   // of pages, for links: https://github.com
	V3URL      string   // of REST: https://api.github.com, or https://HOST/api/v3
	V4URL      string   // of GraphQL, for the merge queue; empty: there is none
	AppID      int64    // the App's ID, which decides what is ours
	PrivateKey []byte   // the App's, as PEM
	LedgerKeys [][]byte // the first signs ledgers, any of them verifies

	Transport http.RoundTripper // nil: one of our own, with timeouts
	Timeout   time.Duration     // of one request; 0: 30 s
	UserAgent string            // empty: "stagecoach"
	Metrics   metrics.Registry  // counts requests and shows rate limits; nil: nobody counts
	NoPace    bool              // do not space writes: for GitHubs without limits
	Now       func() time.Time  // nil: GitHub's time, see API.Now
}

// mostAccounts is how many installations keep their client. Making one anew
// costs a token request.
const mostAccounts = 1024

// API talks to one GitHub as one App. Make it with New.
type API struct {
	opts  Options
	clock *clock
	base  *url.URL
	links ledger.Links
	app   *github.Client // authenticated as the App itself
	cache *store
	ruled *lru.Cache[ruledBranch, ruled]

	mu       sync.Mutex // guards accounts while one is made, and info
	accounts *lru.Cache[int64, *account]
	info     *AppInfo

	sleep func(context.Context, time.Duration) error // tests replace it
}

// New checks the options and makes the API. It sends nothing.
func New(opts Options) (*API, error) {
	theirs := &clock{own: time.Now}
	if opts.Now == nil {
		opts.Now = theirs.now
	}
	base, err := checked(&opts)
	if err != nil {
		return nil, fmt.Errorf("set up the GitHub client: %w", err)
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM(opts.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("set up the GitHub client: the App's private key: %w", err)
	}
	opts.Transport = &dated{next: opts.Transport, clock: theirs, key: key, app: opts.AppID}
	accounts, err := lru.New[int64, *account](mostAccounts)
	if err != nil {
		return nil, err
	}
	rules, err := newRules()
	if err != nil {
		return nil, err
	}
	a := &API{
		opts: opts, clock: theirs, base: base, links: ledger.Links{WebURL: opts.WebURL},
		cache: newStore(cacheBytes), accounts: accounts, ruled: rules, sleep: sleep,
	}
	if a.app, err = a.creator(0, opts.Transport).NewAppClient(); err != nil {
		return nil, fmt.Errorf("set up the GitHub client: the App's private key: %w", err)
	}
	return a, nil
}

// checked fills in defaults and says in words what is missing.
func checked(o *Options) (*url.URL, error) {
	o.WebURL = strings.TrimRight(o.WebURL, "/")
	base, err := url.Parse(strings.TrimRight(o.V3URL, "/") + "/")
	switch {
	case err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http":
		return nil, fmt.Errorf("GITHUB_V3_API_URL %q is no address such as https://api.github.com", o.V3URL)
	case o.AppID <= 0:
		return nil, errors.New("GITHUB_APP_INTEGRATION_ID is no App's ID: it is the number on the App's settings page")
	case len(o.PrivateKey) == 0:
		return nil, errors.New("GITHUB_APP_PRIVATE_KEY is empty: make a private key on the App's settings page")
	}
	if o.Transport == nil {
		o.Transport = newTransport()
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.UserAgent == "" {
		o.UserAgent = "stagecoach"
	}
	return base, nil
}

// Now is GitHub's time, as its answers tell it: ours, where the two are less than some
// seconds apart. What GitHub dates can be compared with it.
func (a *API) Now() time.Time { return a.opts.Now() }

// Ahead is by how much GitHub's clock is ahead of this machine's; 0: not noticeably.
func (a *API) Ahead() time.Duration { return a.clock.offset() }

// repository is a repository and the client that reaches it.
type repository struct {
	*github.Client
	promotion.Repo
	api *API
}

// repository finds the client of the repository's installation.
func (a *API) repository(repo promotion.Repo) (*repository, error) {
	account, err := a.account(repo.Installation)
	if err != nil {
		return nil, err
	}
	return &repository{Client: account.client, Repo: repo, api: a}, nil
}
