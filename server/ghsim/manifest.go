package ghsim

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// What GitHub lets the manifest flow take (docs.github.com, "Registering a GitHub App from a manifest").
const (
	conversionLife = time.Hour // from the person's yes to the exchange of the code
	maxAppName     = 34        // characters
	maxCallbacks   = 10
)

// Manifest is what a GitHub App manifest asks for.
type Manifest struct {
	Name        string `json:"name"`
	URL         string `json:"url"`
	Description string `json:"description"`
	Public      bool   `json:"public"`
	Hook        struct {
		URL    string `json:"url"`
		Active *bool  `json:"active"` // absent: yes
	} `json:"hook_attributes"`
	RedirectURL string            `json:"redirect_url"`
	SetupURL    string            `json:"setup_url"`
	Callbacks   []string          `json:"callback_urls"`
	Events      []string          `json:"default_events"`
	Permissions map[string]string `json:"default_permissions"`
}

// ReadManifest reads the form field of /settings/apps/new and refuses what GitHub refuses there, before a person is asked.
func (s *Sim) ReadManifest(raw string) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		return m, fmt.Errorf("the manifest is no valid JSON: %w", err)
	}
	if m.URL == "" {
		return m, errors.New(`"url" wasn't supplied`)
	}
	for name, address := range map[string]string{"url": m.URL, "redirect_url": m.RedirectURL, "hook_attributes.url": m.Hook.URL, "setup_url": m.SetupURL} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
			return m, fmt.Errorf("%s must be a valid URL", name)
		}
	}
	switch {
	case m.RedirectURL == "":
		return m, errors.New(`"redirect_url" wasn't supplied`)
	case len(m.Callbacks) > maxCallbacks:
		return m, fmt.Errorf("callback_urls: at most %d", maxCallbacks)
	case m.Hook.URL == "" && m.hooked():
		return m, errors.New("hook url cannot be blank")
	}
	return m, checkEvents(m.Events, merge(m.Permissions, map[string]string{"metadata": "read"}))
}

func (m Manifest) hooked() bool { return m.Hook.Active == nil || *m.Hook.Active }

// conversion is a code that a person's yes gave, until it is exchanged for the credentials.
type conversion struct {
	app    *app
	hook   string // the webhook's secret; empty: it has none
	client string // the client secret
	until  time.Time
}

// CreateFromManifest is the button "Create GitHub App" under a manifest: it makes the App for owner, or for the person
// where owner is empty, under the name that they gave it. It gives the address to go to, with the code in it.
func (s *Sim) CreateFromManifest(m Manifest, owner, login, state string) (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", fmt.Errorf("private key: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	in, err := s.wanted(m, owner, login)
	if err != nil {
		return "", err
	}
	a := s.newApp(in, merge(m.Permissions, map[string]string{"metadata": "read"}), key)
	a.name, a.clientSecrets = m.Name, []string{randomHex(20)}
	code := randomHex(20)
	s.conversions[code] = &conversion{app: a, hook: in.WebhookSecret, client: a.clientSecrets[0], until: s.opts.AuthClock().Add(conversionLife)}
	return answerTo(m.RedirectURL, url.Values{"state": {state}}, "code", code), nil
}

// said is an error in GitHub's own words, which begin as a sentence does.
type said string

func (s said) Error() string { return string(s) }

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// wanted is the App that a manifest asks for; the caller holds the lock.
func (s *Sim) wanted(m Manifest, owner, login string) (App, error) {
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(m.Name), "-"), "-")
	person := s.users[strings.ToLower(login)]
	account := person
	if owner != "" {
		account = s.users[strings.ToLower(owner)]
	}
	switch {
	case person == nil || account == nil:
		return App{}, said("Not Found")
	case account != person && !account.members[person.id]:
		return App{}, fmt.Errorf("%s does not administer the Apps of %s", login, owner)
	case slug == "":
		return App{}, said("Name can't be blank")
	case len(m.Name) > maxAppName:
		return App{}, said(fmt.Sprintf("Name is too long (maximum is %d characters)", maxAppName))
	case s.appBySlug(slug) != nil || s.users[slug] != nil && s.users[slug] != account:
		return App{}, said("Name is already in use") // by an App, or as somebody else's login
	}
	in := App{Slug: slug, Owner: account.login, Events: m.Events, Callbacks: m.Callbacks}
	if m.hooked() {
		in.WebhookURL, in.WebhookSecret = m.Hook.URL, randomHex(20)
	}
	return in, nil
}

// convert gives the credentials for a code: once, and to anybody who has it.
func convert(c *call) reply {
	got := c.conversions[c.path("code")]
	delete(c.conversions, c.path("code"))
	if got == nil || !c.opts.AuthClock().Before(got.until) {
		return notFound()
	}
	out := obj{"client_secret": got.client, "webhook_secret": nil, "pem": encodeKey(got.app.key)}
	if got.hook != "" {
		out["webhook_secret"] = got.hook
	}
	return created(merged(c.appJSON(got.app), out))
}

// Webhook is where an App's deliveries go and what signs them; empty for an App that does not exist.
func (s *Sim) Webhook(appID int64) (url, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.apps[appID]
	if a == nil {
		return "", ""
	}
	return a.hookURL, a.hookSecret
}
