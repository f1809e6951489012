package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/google/go-github/v57/github"
	"github.com/palantir/go-githubapp/githubapp"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server/doctor"
)

// mend looks at the App of the file, changes what an App may change of itself, and says what only its owner can.
func (o Options) mend(ctx context.Context, env map[string]string) (Result, error) {
	m := &mending{Options: o, env: env}
	for _, step := range []func(context.Context) error{m.readSettings, m.hide, m.findApp, m.noteAddress, m.mendHook} {
		if err := within(ctx, step); err != nil {
			return Result{}, err
		}
	}
	report := doctor.Registration(ctx, doctor.Options{Settings: m.set, Version: o.Version, Transport: o.Transport})
	return Result{
		OK: report.OK, App: m.app.GetSlug(), AppID: m.app.GetID(), URL: m.app.GetHTMLURL(), File: o.File,
		Changed: m.changed, Checks: report.Checks, Next: m.next(report),
	}, nil
}

func within(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return step(ctx)
}

// mending is one look at an App that is there.
type mending struct {
	Options
	env     map[string]string
	set     *config.Settings
	site    site
	app     *github.AppConfig
	changed []string
}

func (m *mending) note(format string, args ...any) {
	m.changed = append(m.changed, fmt.Sprintf(format, args...))
}

func (m *mending) readSettings(context.Context) (err error) {
	if m.set, err = config.Load("", func(name string) string { return m.env[name] }, os.ReadFile); err != nil {
		return fmt.Errorf("%s holds credentials that cannot be used. Mend them, or move the file away to register another App: %w", m.File, err)
	}
	m.site = site{web: m.set.WebURL, v3: m.set.V3URL, v4: m.set.V4URL}
	if asked, err := siteAt(m.WebURL); m.WebURL != "" && (err != nil || asked.web != m.site.web) {
		return fmt.Errorf("%s holds an App of %s, and --github-url names another GitHub. Name another file with --file to register an App there", m.File, m.site.web)
	}
	return nil
}

// hide takes the file from others, should they be able to read it.
func (m *mending) hide(context.Context) error {
	info, err := os.Stat(m.File)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := os.Chmod(m.File, 0o600); err != nil {
		return fmt.Errorf("keep %s from others: %w", m.File, err)
	}
	m.note("%s could be read by others: its mode is 0600 now. If somebody may have read it, make a new private key and secrets on the App's settings page", m.File)
	return nil
}

// findApp asks GitHub who the credentials are.
func (m *mending) findApp(ctx context.Context) error {
	app, err := m.client(m.site, m.set.AppID, m.set.PrivateKey)
	if err != nil {
		return err
	}
	found, _, err := app.Apps.Get(ctx, "")
	var answer *github.ErrorResponse
	switch {
	case errors.As(err, &answer) && answer.Response != nil && (answer.Response.StatusCode == http.StatusUnauthorized || answer.Response.StatusCode == http.StatusNotFound):
		return fmt.Errorf("GitHub does not take the private key in %s for App %d: the App or its key was deleted, or this machine's clock is wrong. "+
			"Make a new key on the App's settings page (%s), or move the file away to register another App", m.File, m.set.AppID, m.site.apps(""))
	case err != nil:
		return fmt.Errorf("ask GitHub about App %d: %w", m.set.AppID, err)
	}
	m.app = &github.AppConfig{ID: found.ID, Slug: found.Slug, Owner: found.Owner, HTMLURL: found.HTMLURL}
	return nil
}

// noteAddress puts another public address into the file.
func (m *mending) noteAddress(context.Context) error {
	if m.PublicURL == "" {
		return nil
	}
	public, err := publicURL(m.PublicURL, m.site)
	switch {
	case err != nil:
		return OptionError{err}
	case public == m.set.PublicURL:
		return nil
	}
	if err := replaceLine(m.File, "STAGECOACH_PUBLIC_URL", public); err != nil {
		return err
	}
	m.set.PublicURL = public
	m.note("STAGECOACH_PUBLIC_URL in %s is %s now; restart the server, and set the callback URL %s%s on the App's settings page (%s)", m.File, public, public, Callback, m.site.settingsOf(m.app))
	return nil
}

// mendHook has GitHub send deliveries to the address and sign them with the secret of the file. GitHub never shows the
// secret that it has, so it is set each time; setting the same one changes nothing.
func (m *mending) mendHook(ctx context.Context) error {
	if m.set.PublicURL == "" {
		return OptionError{errors.New("where the webhook leads cannot be mended without the server's address: give --public-url")}
	}
	client, err := m.client(m.site, m.set.AppID, m.set.PrivateKey)
	if err != nil {
		return err
	}
	before, _, err := client.Apps.GetHookConfig(ctx)
	if err != nil {
		return fmt.Errorf("the App's webhook cannot be read. Is it active on the App's settings page (%s)? %w", m.site.settingsOf(m.app), err)
	}
	if err := m.setHook(ctx, m.site, m.set.AppID, m.set.PrivateKey, m.set.PublicURL, m.set.WebhookSecret); err != nil {
		return err
	}
	if to := m.set.PublicURL + githubapp.DefaultWebhookRoute; before.GetURL() != to {
		m.note("the webhook led to %s, and leads to %s now", cmp.Or(before.GetURL(), "nowhere"), to)
	}
	if before.GetSecret() == "" {
		m.note("the webhook had no secret, and has that of %s now", m.File)
	}
	return nil
}

func (o Options) client(at site, id int64, key string) (*github.Client, error) {
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	c, err := githubapp.NewClientCreator(at.v3, at.v4, id, []byte(key), githubapp.WithTransport(transport),
		githubapp.WithClientUserAgent("stagecoach/"+o.Version)).NewAppClient()
	if err != nil {
		return nil, fmt.Errorf("a client for App %d: %w", id, err)
	}
	return c, nil
}

// setHook says where deliveries go and what signs them.
func (o Options) setHook(ctx context.Context, at site, id int64, key, public, secret string) error {
	c, err := o.client(at, id, key)
	if err != nil {
		return err
	}
	to := public + githubapp.DefaultWebhookRoute
	_, _, err = c.Apps.UpdateHookConfig(ctx, &github.HookConfig{URL: &to, Secret: &secret, ContentType: github.String("json"), InsecureSSL: github.String("0")})
	if err != nil {
		return fmt.Errorf("set the App's webhook to %s: %w", to, err)
	}
	return nil
}

func (m *mending) next(report doctor.Report) []string {
	next := []string{"See whether the server is well too: stagecoach doctor --env-file " + m.File}
	if !report.OK {
		next = append([]string{"Change what is marked above on the App's settings page: " + m.site.settingsOf(m.app) + "/permissions"}, next...)
	}
	return next
}

// replaceLine gives a variable of a file another value, or adds it. Nobody else can read the file at any time.
func replaceLine(file, name, value string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("change %s in %s: %w", name, file, err)
	}
	lines, found := strings.Split(strings.TrimRight(string(content), "\n"), "\n"), false
	for i, line := range lines {
		if before, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "="); ok && strings.TrimSpace(before) == name {
			lines[i], found = name+"="+value, true
		}
	}
	if !found {
		lines = append(lines, name+"="+value)
	}
	temporary := file + ".new"
	err = os.WriteFile(temporary, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
	if err == nil {
		err = os.Rename(temporary, file)
	}
	if err != nil {
		_ = os.Remove(temporary)
		return fmt.Errorf("change %s in %s: %w", name, file, err)
	}
	return nil
}
