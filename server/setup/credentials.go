package setup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/google/go-github/v57/github"
)

// credentials are the variables with which serve runs as this App, a line each. Only the key needs quotes; its lines
// are joined by \n, which config reads back.
func credentials(at site, public string, app *github.AppConfig, secret string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The GitHub App %s. Whoever has this file is the App: keep it secret.\n", app.GetSlug())
	line := func(name, value string) { fmt.Fprintf(&b, "%s=%s\n", name, value) }
	if at.web != dotcom {
		line("GITHUB_WEB_URL", at.web)
		line("GITHUB_V3_API_URL", at.v3)
		line("GITHUB_V4_API_URL", at.v4)
	}
	line("GITHUB_APP_INTEGRATION_ID", fmt.Sprint(app.GetID()))
	line("GITHUB_APP_WEBHOOK_SECRET", secret)
	line("GITHUB_APP_PRIVATE_KEY", "'"+strings.ReplaceAll(strings.TrimSpace(app.GetPEM()), "\n", `\n`)+"'")
	line("GITHUB_OAUTH_CLIENT_ID", app.GetClientID())
	line("GITHUB_OAUTH_CLIENT_SECRET", app.GetClientSecret())
	line("STAGECOACH_PUBLIC_URL", public)
	line("STAGECOACH_METRICS_TOKEN", strings.ToLower(rand.Text()))
	return b.String()
}

// sink is where the credentials go. It is ready before anybody is asked for them, since GitHub shows them once.
type sink interface {
	keep(text string) error
	path() string // empty: it is no file
	abandon()     // what keep did not fill is removed
}

func (o Options) sink() (sink, error) {
	if o.Print != nil {
		return printer{o.Print}, nil
	}
	// Not truncated: should somebody have written into it meanwhile, the file is refused above, or grows here.
	file, err := os.OpenFile(o.File, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the file for the credentials (--file): %w", err)
	}
	if err := file.Chmod(0o600); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("keep %s from others: %w", o.File, err)
	}
	return &fileSink{file: file}, nil
}

type printer struct{ to io.Writer }

func (p printer) keep(text string) error { _, err := io.WriteString(p.to, text); return err }
func (p printer) path() string           { return "" }
func (p printer) abandon()               {}

type fileSink struct {
	file *os.File
	kept bool
}

func (f *fileSink) keep(text string) error {
	_, err := f.file.WriteString(text)
	err = errors.Join(err, f.file.Sync())
	f.kept = err == nil
	return err
}

func (f *fileSink) path() string { return f.file.Name() }

func (f *fileSink) abandon() {
	_ = f.file.Close()
	if !f.kept {
		_ = os.Remove(f.file.Name())
	}
}
