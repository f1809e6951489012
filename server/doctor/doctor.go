package doctor

import (
	"context"
	"net/http"
	"time"

	"github.com/google/go-github/v57/github"
	"github.com/palantir/go-githubapp/githubapp"

	"github.com/stagecoach-app/stagecoach/config"
)

// Options say what to look at.
type Options struct {
	Settings    *config.Settings                            // required
	Version     string                                      // for the user agent
	Transport   http.RoundTripper                           // to GitHub and the server; nil: net/http's
	Now         func() time.Time                            // our clock; nil: time.Now
	FreeSpace   func(dir string) (bytes uint64, known bool) // nil: the system is asked
	Permissions map[string]string                           // what the App must have; nil: what this version uses
	Events      []string                                    // likewise
}

// examination is one Run.
type examination struct {
	Options
	Report
	web    *http.Client
	github *github.Client // as the App
	app    *github.App    // nil: GitHub does not take us for it
	// clientID is the App's, for signing in.
	clientID string
}

const (
	timeout     = 15 * time.Second // of a request without credentials, and of the engine's opening
	lookTimeout = time.Minute      // of a look, which may be several requests
)

// Run makes all checks. It is a few requests with the App's own credentials, which
// cost no installation anything. When ctx ends, what is left says so.
func Run(ctx context.Context, opts Options) Report {
	e := begin(opts)
	e.add(Check{Name: "settings", Status: OK, Message: "all that is required is set, and can be read"})
	return e.all(ctx, e.lookAtGitHub, e.lookAtApp, e.lookAtInstallations, e.lookAtWebhook, e.lookAtDeliveries, e.lookAtDashboard, e.lookAtServer, e.lookAtDisk)
}

// Registration makes the checks of what GitHub holds of the App, which need no server and no machine of its own.
func Registration(ctx context.Context, opts Options) Report {
	e := begin(opts)
	return e.all(ctx, e.lookAtGitHub, e.lookAtApp, e.lookAtInstallations)
}

func begin(opts Options) *examination {
	e := &examination{Options: withDefaults(opts), Report: Report{OK: true, Checks: []Check{}}}
	e.web = &http.Client{Timeout: timeout, Transport: e.Transport}
	return e
}

func (e *examination) all(ctx context.Context, looks ...func(context.Context)) Report {
	for _, look := range looks {
		e.within(ctx, look)
	}
	return e.Report
}

// within gives a look its time. A client's own timeout would leave a goroutine behind
// for each error of GitHub's, whose body go-github replaces instead of closing it.
func (e *examination) within(ctx context.Context, look func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	look(ctx)
}

func withDefaults(o Options) Options {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FreeSpace == nil {
		o.FreeSpace = freeSpace
	}
	if o.Permissions == nil {
		o.Permissions = neededPermissions()
	}
	if o.Events == nil {
		o.Events = neededEvents()
	}
	return o
}

// asApp makes the client with the App's credentials.
func (e *examination) asApp() (*github.Client, error) {
	set := e.Settings
	return githubapp.NewClientCreator(set.V3URL, "", set.AppID, []byte(set.PrivateKey),
		githubapp.WithTransport(e.Transport), githubapp.WithClientUserAgent("stagecoach/"+e.Version),
	).NewAppClient()
}
