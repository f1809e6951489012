package setup

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v57/github"
	"github.com/palantir/go-githubapp/githubapp"
)

// The way of the browser. GitHub's answer is good for an hour.
const (
	createdPath = "/created"
	patience    = time.Hour
)

// registration is one App under way.
type registration struct {
	Options
	site     site
	public   string
	name     string
	key      string // the word in the start page's address
	state    string // what GitHub's answer must carry
	host     string // of the page
	manifest string
	store    sink

	mu   sync.Mutex // one answer at a time
	made bool       // there is an App, and it is stored
	done chan Result
}

// register has a person make the App.
func (o Options) register(ctx context.Context) (Result, error) {
	r, err := o.begin()
	if err != nil {
		return Result{}, err
	}
	defer r.store.abandon()
	listen := o.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return Result{}, fmt.Errorf("the page for your browser on %s (--listen): %w", listen, err)
	}
	r.host = listener.Addr().String()
	if r.manifest, err = manifest(o.Manifest, r.name, r.public, "http://"+r.host+createdPath); err != nil {
		_ = listener.Close()
		return Result{}, err
	}
	return r.serve(ctx, listener)
}

func (o Options) begin() (*registration, error) {
	r := &registration{Options: o, key: rand.Text(), state: rand.Text(), done: make(chan Result, 1)}
	var err error
	if r.site, err = siteAt(o.WebURL); err != nil {
		return nil, OptionError{err}
	}
	if r.public, err = publicURL(o.PublicURL, r.site); err != nil {
		return nil, OptionError{err}
	}
	if r.name, err = o.name(); err != nil {
		return nil, OptionError{err}
	}
	r.store, err = o.sink()
	return r, err
}

// serve shows the page until the App is there, or ctx ends, or an hour has passed.
func (r *registration) serve(ctx context.Context, listener net.Listener) (Result, error) {
	server := &http.Server{Handler: r.routes(), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	defer func() {
		// The browser still waits for the last page.
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if server.Shutdown(closing) != nil {
			_ = server.Close()
		}
	}()
	r.invite("http://" + r.host + "/" + r.key)
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case result := <-r.done:
		return result, nil
	case err := <-failed:
		return Result{}, fmt.Errorf("the page for your browser: %w", err)
	case <-late.C:
		return Result{}, fmt.Errorf("nobody registered the App within an hour; run setup again")
	case <-ctx.Done():
		return Result{}, fmt.Errorf("stopped before the App was registered; if GitHub had made it already, delete it at %s and run setup again", r.site.apps(r.Org))
	}
}

// invite leads the person to the page.
func (r *registration) invite(address string) {
	if r.Open != nil {
		err := r.Open(address)
		if err == nil {
			fmt.Fprintf(r.Out, "⏳ Go on in your browser: %s\n", address)
			return
		}
		fmt.Fprintf(r.Out, "No browser could be started: %v\n", err)
	}
	fmt.Fprintf(r.Out, "✋ Open this in a browser on this machine, signed in to %s:\n   %s\n", r.site.web, address)
	if _, port, err := net.SplitHostPort(r.host); err == nil {
		fmt.Fprintf(r.Out, "   From another machine, first: ssh -L %s:%s THIS-MACHINE\n", port, r.host)
	}
}

// exchange turns the code into credentials and stores them.
func (r *registration) exchange(ctx context.Context, code string) (Result, error) {
	client, err := r.anybody(r.site)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	app, resp, err := client.Apps.CompleteAppManifest(ctx, code)
	switch {
	case resp != nil && resp.StatusCode == http.StatusNotFound:
		return Result{}, fmt.Errorf("GitHub does not know this code: it was used already, or is older than an hour")
	case err != nil:
		return Result{}, fmt.Errorf("the App's credentials could not be fetched from GitHub: %w", err)
	}
	return r.keep(ctx, app)
}

// keep stores what GitHub shows only now.
func (r *registration) keep(ctx context.Context, app *github.AppConfig) (Result, error) {
	secret := app.GetWebhookSecret()
	if secret == "" {
		secret = strings.ToLower(rand.Text())
	}
	if err := r.store.keep(credentials(r.site, r.public, app, secret)); err != nil {
		return Result{}, fmt.Errorf("the App %s is registered, but its credentials could not be stored: %w. Delete it at %s, then run setup again", app.GetSlug(), err, r.site.settingsOf(app)+"/advanced")
	}
	if app.GetWebhookSecret() == "" { // a GitHub that made none
		if err := r.setHook(ctx, r.site, app.GetID(), app.GetPEM(), r.public, secret); err != nil {
			fmt.Fprintf(r.Out, "✋ The webhook has no secret yet (%v). Run setup again to set it.\n", err)
		}
	}
	return Result{OK: true, App: app.GetSlug(), AppID: app.GetID(), URL: app.GetHTMLURL(), File: r.store.path(), Next: r.next(app)}, nil
}

// next is what is left to do for a new App.
func (r *registration) next(app *github.AppConfig) []string {
	with := "with these variables"
	if file := r.store.path(); file != "" {
		with = "--env-file " + file
	}
	return []string{
		fmt.Sprintf("Have %s lead to the server, over TLS: GitHub sends its webhooks there.", r.public+githubapp.DefaultWebhookRoute),
		"Start it: stagecoach serve " + with,
		fmt.Sprintf("Install the App on your GitOps repository: %s/installations/new", app.GetHTMLURL()),
		"See whether all is well: stagecoach doctor " + with,
		"Put .github/stagecoach.yml on the default branch; the tracking issue appears.",
	}
}
