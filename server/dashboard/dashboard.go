package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// Store is what the pages read, and where sessions are kept.
type Store interface {
	Load(ctx context.Context, repo int64) (*promotion.State, uint64, error)
	Revision(ctx context.Context, repo int64) (uint64, error)
	Follow(ctx context.Context, repo int64) (changed <-chan struct{}, stop func(), err error)
	Repo(ctx context.Context, id int64) (store.Entry, bool)
	Repos(ctx context.Context) []store.Entry
	Session(ctx context.Context, name string) (value []byte, revision uint64, err error)
	SetSession(ctx context.Context, name string, value []byte, revision uint64, keep time.Duration) error
	DropSession(ctx context.Context, name string) error
}

// Aside is an event that was set aside because it kept failing.
type Aside struct {
	Repo   int64
	Type   string // GitHub's name of the event
	GUID   string
	Reason string
	At     time.Time
}

// Options of a dashboard. All but the last three are required.
type Options struct {
	Store        Store
	WebURL       string // of GitHub, without a slash at the end
	V3URL        string // of its REST API, with a slash at the end
	PublicURL    string // where people reach the dashboard, without a slash at the end
	ClientID     string
	ClientSecret string

	Transport http.RoundTripper // to GitHub; nil: one with timeouts
	// Aside lists the events that were set aside; nil: there are none.
	Aside func(context.Context) ([]Aside, error)
	Now   func() time.Time // nil: time.Now
}

// Dashboard is the pages. Close ends the streams that browsers hold open.
type Dashboard struct {
	opts   Options
	base   string // path of the public URL, without a slash at the end
	secure bool   // people come by https
	seal   sealer
	github github
	seen   seen
	sums   summaries
	links  ledger.Links
	looks  looks
	tries  tries
	live   viewers
	over   chan struct{}
	end    sync.Once
}

// Missing names the settings without which the dashboard is off; none: it is on.
func (o Options) Missing() []string {
	var names []string
	for _, each := range [][2]string{
		{"STAGECOACH_PUBLIC_URL", o.PublicURL}, {"GITHUB_OAUTH_CLIENT_ID", o.ClientID}, {"GITHUB_OAUTH_CLIENT_SECRET", o.ClientSecret},
	} {
		if each[1] == "" {
			names = append(names, each[0])
		}
	}
	return names
}

// New makes the pages. It fails where a setting is missing or no URL.
func New(opts Options) (*Dashboard, error) {
	public, err := url.Parse(opts.PublicURL)
	if err != nil {
		return nil, errors.New("STAGECOACH_PUBLIC_URL is no URL")
	}
	if missing := opts.Missing(); len(missing) > 0 {
		return nil, errors.New("the dashboard needs " + strings.Join(missing, " and "))
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	seal, err := newSealer(opts.ClientSecret)
	if err != nil {
		return nil, err
	}
	d := &Dashboard{
		opts: opts, base: strings.TrimRight(public.Path, "/"), secure: public.Scheme == "https", seal: seal, github: newGitHub(opts),
		seen: newSeen(), sums: newSummaries(), links: ledger.Links{WebURL: opts.WebURL}, looks: parseLooks(opts.WebURL, opts.Now),
		tries: newTries(), over: make(chan struct{}),
	}
	return d, nil
}

// Close ends the streams that browsers hold open. Pages are still served.
func (d *Dashboard) Close() { d.end.Do(func() { close(d.over) }) }

// callbackPath is where GitHub leads people back to, below the public URL.
const callbackPath = "/api/github/auth"

// Callback is the callback URL to register for the App.
func (d *Dashboard) Callback() string { return d.opts.PublicURL + callbackPath }

// Handler serves all paths that nobody else does.
func (d *Dashboard) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /-/{file}", serveFile)
	mux.HandleFunc("GET /login", d.login)
	mux.HandleFunc("GET "+callbackPath, d.callback)
	mux.HandleFunc("POST /logout", d.logout)
	mux.HandleFunc("GET /{$}", d.signedIn((*visit).repositories))
	mux.HandleFunc("GET /r/{owner}/{repo}", d.signedIn(inRepo((*visit).repository)))
	mux.HandleFunc("GET /r/{owner}/{repo}/live", d.signedIn(inRepo((*visit).stream)))
	mux.HandleFunc("GET /r/{owner}/{repo}/pipelines/{pipeline}", d.signedIn(inRepo((*visit).repository)))
	mux.HandleFunc("GET /r/{owner}/{repo}/promotions/{promotion}", d.signedIn(inRepo((*visit).promotion)))
	mux.HandleFunc("/", d.signedIn(func(v *visit) error { return errMissing }))
	return d.guarded(mux)
}

// Off is what stands at "/" without the settings that the dashboard needs. Everything
// else is not there.
func Off(missing []string, webURL string) http.Handler {
	d := &Dashboard{opts: Options{WebURL: webURL, Now: time.Now}, looks: parseLooks(webURL, time.Now)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /-/{file}", serveFile)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		d.show(w, r, http.StatusOK, "off", frame{Title: "The dashboard is off", Page: missing})
	})
	return d.guarded(mux)
}

func (d *Dashboard) now() time.Time { return d.opts.Now().UTC() }

// at is an address of the dashboard for browsers.
func (d *Dashboard) at(path string) string { return cmp.Or(d.base+path, "/") }
