package setup

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server/doctor"
)

// Options say what to register and where its credentials go.
type Options struct {
	Manifest  []byte // app.yml; required
	PublicURL string // where GitHub reaches the server; required for a new App
	WebURL    string // of GitHub; empty: github.com
	Org       string // who will own the App; empty: who agrees in the browser
	Name      string // of the App; empty: one that is likely free
	File      string // for the credentials; required without Print
	// Print gets the credentials, in the form of the file, instead of it; nil: they go into the file.
	Print io.Writer
	// Listen is where the page for the browser is; empty: a free port of 127.0.0.1.
	Listen string
	// Open shows an address in a browser; nil: its user is told to.
	Open      func(address string) error
	Out       io.Writer         // what is told on the way; nil: nothing
	Version   string            // for the user agent
	Transport http.RoundTripper // to GitHub; nil: net/http's
}

// Result is what came of it.
type Result struct {
	OK      bool           `json:"ok"`
	App     string         `json:"app"`               // its slug
	AppID   int64          `json:"appID"`             //
	URL     string         `json:"url"`               // its page on GitHub
	File    string         `json:"file,omitempty"`    // where the credentials are
	Changed []string       `json:"changed,omitempty"` // what was mended, in words
	Checks  []doctor.Check `json:"checks,omitempty"`  // of an App that was there already
	Next    []string       `json:"next"`              // what is left to do, in order
}

// OptionError is an option that makes no sense; no one was asked anything.
type OptionError struct{ error }

// Run registers an App, or mends the one whose credentials the file holds.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Print == nil {
		switch old, err := o.credentials(); {
		case err != nil:
			return Result{}, err
		case old != nil:
			return o.mend(ctx, old)
		}
	}
	return o.register(ctx)
}

// credentials are the variables of the file; nil: there is none, or an empty one.
func (o Options) credentials() (map[string]string, error) {
	content, err := os.ReadFile(o.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the credentials in %s: %w", o.File, err)
	case len(bytes.TrimSpace(content)) == 0:
		return nil, nil
	}
	env, err := config.ReadEnv(o.File, content)
	if err != nil {
		return nil, err
	}
	if env["GITHUB_APP_INTEGRATION_ID"] == "" {
		return nil, fmt.Errorf("%s is there, and holds no App's credentials; it is left as it is. Name another file with --file", o.File)
	}
	return env, nil
}

// name is that of the App. Names are taken once on all of GitHub, so one of our own making has something of its own.
func (o Options) name() (string, error) {
	name := strings.TrimSpace(o.Name)
	switch {
	case name == "" && o.Org != "":
		name = "stagecoach-" + o.Org
		name = name[:min(len(name), maxName)]
	case name == "":
		name = "stagecoach-" + strings.ToLower(rand.Text()[:6])
	case len(name) > maxName:
		return "", fmt.Errorf("--name is %q: GitHub takes at most %d characters", name, maxName)
	}
	return name, nil
}
