package ghsim

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// Options configure a simulator. Only Dir is needed.
type Options struct {
	// Dir holds the bare repositories, one per repository ID. It is made when missing and never removed.
	Dir string
	// URL is the web root that links and payloads show, without a slash at the end. Empty: http://localhost until SetURL.
	URL string
	// Clock gives the time of everything the simulator dates. Nil: time.Now.
	Clock func() time.Time
	// AuthClock is the time by which JWTs and tokens are judged. Nil: time.Now, because clients sign by the real time
	// also while a test moves Clock.
	AuthClock func() time.Time
	// Log gets one line per request and per delivery, at debug level. Nil: none.
	Log *zerolog.Logger
	// RateLimit is how many counted requests each credential has per hour. 0: 5000, as GitHub.
	RateLimit int
	// Dial is how webhooks get to their receivers. Nil: over the network.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// WebhookTimeout is how long a receiver may take to answer. 0: 10 s, as GitHub.
	WebhookTimeout time.Duration
}

// Sim is one simulated GitHub. Make it with New, stop it with Close.
type Sim struct {
	opts  Options
	git   *gitRunner
	muxes []*http.ServeMux
	hooks *courier
	log   zerolog.Logger

	mu     sync.Mutex
	url    string
	lastID int64
	users  map[string]*user // by lower-case login
	apps   map[int64]*app
	teams  map[int64]*team
	insts  map[int64]*installation
	repos  map[int64]*repository
	names  map[string]int64 // lower-case owner/name, former names too
	tokens map[string]*token
	grants map[string]*grant // codes of people's yes to an App
	rates  map[string]*rate

	requests       requestLog
	faults         faultList
	inFlight       inFlight
	keeps          keeps
	secondary      Secondary
	limitAnswers   LimitAnswers
	recents        map[string]*recent // by rate key
	lags           lags
	noGraphQL      bool
	mergeableDelay time.Duration
	ahead          atomic.Int64           // of the clock, see SetClock
	conversions    map[string]*conversion // codes of people's yes to a manifest
	pages          http.Handler
	closeOnce      sync.Once
}

// New makes an empty simulator. It fails when Dir cannot be made or git is missing or older than 2.38.
func New(opts Options) (*Sim, error) {
	if opts.Dir == "" {
		return nil, fmt.Errorf("ghsim: Options.Dir is empty: name a directory for the repositories")
	}
	opts = withDefaults(opts)
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("ghsim: directory %s: %w", opts.Dir, err)
	}
	opts.Dir = dir
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("ghsim: directory of the repositories: %w", err)
	}
	git, err := newGitRunner(dir)
	if err != nil {
		return nil, err
	}
	s := &Sim{
		opts: opts, git: git, url: opts.URL, log: *opts.Log, lastID: 1_000_000_000,
		users: map[string]*user{}, apps: map[int64]*app{}, teams: map[int64]*team{}, insts: map[int64]*installation{},
		repos: map[int64]*repository{}, names: map[string]int64{}, tokens: map[string]*token{}, grants: map[string]*grant{}, rates: map[string]*rate{}, recents: map[string]*recent{},
		conversions: map[string]*conversion{},
		keeps:       keeps{statuses: 1000, runsOfName: 1000},
	}
	s.opts.Clock, s.opts.AuthClock = s.skewed(opts.Clock), s.skewed(opts.AuthClock)
	s.hooks = newCourier(s.opts, s.log)
	s.muxes = s.routeMuxes()
	return s, nil
}

// keeps is how many of a kind GitHub keeps (docs.github.com, "REST API endpoints for commit statuses" and "for check runs"):
// statuses of one context on a commit, more are refused; check runs of one name in a suite, older ones go.
type keeps struct{ statuses, runsOfName int }

func withDefaults(opts Options) Options {
	opts.URL = strings.TrimRight(opts.URL, "/")
	if opts.URL == "" {
		opts.URL = "http://localhost"
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.AuthClock == nil {
		opts.AuthClock = time.Now
	}
	if opts.Log == nil {
		nop := zerolog.Nop()
		opts.Log = &nop
	}
	if opts.RateLimit == 0 {
		opts.RateLimit = 5000
	}
	if opts.WebhookTimeout == 0 {
		opts.WebhookTimeout = 10 * time.Second
	}
	return opts
}

// SetURL changes the web root, for a server whose port is known only after it listens.
func (s *Sim) SetURL(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.url = strings.TrimRight(url, "/")
}

// URL is the web root, without a slash at the end.
func (s *Sim) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// APIURL is the base of the REST API, as GITHUB_V3_API_URL wants it.
func (s *Sim) APIURL() string { return s.URL() + "/api/v3" }

// HandlePages serves with h what is neither API nor git: the web pages. Without it such paths answer 404.
func (s *Sim) HandlePages(h http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = h
}

// Close stops deliveries and waits for those under way to end. Requests after it are still answered, their webhooks lost.
func (s *Sim) Close() { s.closeOnce.Do(s.hooks.close) }

// WaitIdle waits until every webhook that was queued when it was called, or is queued meanwhile, is delivered or has failed.
// While webhooks are paused it waits until ctx ends.
func (s *Sim) WaitIdle(ctx context.Context) error { return s.hooks.waitIdle(ctx) }

func (s *Sim) now() time.Time { return s.opts.Clock().UTC().Truncate(time.Second) }

// nextID gives rising IDs, the same sequence for every type, with gaps as on a busy site.
func (s *Sim) nextID() int64 {
	s.lastID += 7
	s.noteMade(s.lastID)
	return s.lastID
}

func (s *Sim) api(path string) string { return s.url + "/api/v3" + path }

func (s *Sim) web(path string) string { return s.url + path }
