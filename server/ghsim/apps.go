package ghsim

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"time"
)

// App describes a GitHub App to register.
type App struct {
	// Slug is its name in URLs; its bot is SLUG[bot]. Owner is the account that registers it, empty: its own slug.
	Slug, Owner string
	// WebhookURL receives the deliveries; empty: none are sent. WebhookSecret signs them.
	WebhookURL, WebhookSecret string
	// Permissions by name to read or write; metadata: read is implied.
	Permissions map[string]string
	// Events it subscribes to. One whose permission is missing is an error, as on GitHub.
	Events []string
	// Callbacks are where the web application flow may lead to. None: nobody can sign in.
	Callbacks []string
	// PrivateKey signs its JWTs. Nil: one is generated, which takes a moment.
	PrivateKey *rsa.PrivateKey
}

// RegisteredApp is what registering gives.
type RegisteredApp struct {
	ID       int64
	ClientID string
	// PrivateKey is in PEM, as GITHUB_APP_PRIVATE_KEY wants it.
	PrivateKey string
	// Bot is the login under which it acts.
	Bot string
}

type app struct {
	id          int64
	slug        string
	name        string // empty: its slug
	clientID    string
	owner       *user
	bot         *user
	key         *rsa.PrivateKey // nil: nobody has one
	hookID      int64
	hookURL     string
	hookSecret  string
	permissions map[string]string
	events      []string
	created     time.Time

	clientSecrets []string
	callbacks     []string
	authorized    map[int64]bool // IDs of the people who said yes
}

// RegisterApp makes a GitHub App. It fails on an event that its permissions do not cover, and on a taken slug.
func (s *Sim) RegisterApp(in App) (RegisteredApp, error) {
	permissions := merge(in.Permissions, map[string]string{"metadata": "read"})
	if err := checkEvents(in.Events, permissions); err != nil {
		return RegisteredApp{}, fmt.Errorf("register app %s: %w", in.Slug, err)
	}
	key := in.PrivateKey
	if key == nil {
		var err error
		if key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			return RegisteredApp{}, fmt.Errorf("register app %s: private key: %w", in.Slug, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.appBySlug(in.Slug) != nil {
		return RegisteredApp{}, fmt.Errorf("register app: the slug %q is taken", in.Slug)
	}
	a := s.newApp(in, permissions, key)
	return RegisteredApp{ID: a.id, ClientID: a.clientID, PrivateKey: encodeKey(key), Bot: a.bot.login}, nil
}

func (s *Sim) newApp(in App, permissions map[string]string, key *rsa.PrivateKey) *app {
	owner := in.Owner
	if owner == "" {
		owner = in.Slug
	}
	a := &app{
		id: s.nextID(), slug: in.Slug, clientID: "Iv23li" + randomHex(7), owner: s.ownerOf(owner), key: key, hookID: s.nextID(),
		hookURL: in.WebhookURL, hookSecret: in.WebhookSecret, permissions: permissions, events: slices.Clone(in.Events), created: s.now(),
		callbacks: slices.Clone(in.Callbacks),
	}
	a.bot = s.addAccount(in.Slug+"[bot]", "Bot")
	a.bot.app = a
	s.apps[a.id] = a
	return a
}

// SetWebhook changes where an App's deliveries go and what signs them, for a server whose port is known late.
func (s *Sim) SetWebhook(appID int64, url, secret string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.apps[appID]
	if a == nil {
		return fmt.Errorf("set webhook: there is no app %d", appID)
	}
	a.hookURL, a.hookSecret = url, secret
	return nil
}

// SetAppPermissions changes what an App asks for and hears of, as its owner does in its settings. Installations keep what
// they have until their owners accept.
func (s *Sim) SetAppPermissions(appID int64, permissions map[string]string, events ...string) error {
	permissions = merge(permissions, map[string]string{"metadata": "read"})
	if err := checkEvents(events, permissions); err != nil {
		return fmt.Errorf("change app %d: %w", appID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.apps[appID]
	if a == nil {
		return fmt.Errorf("change app: there is no app %d", appID)
	}
	a.permissions, a.events = permissions, events
	return nil
}

func (s *Sim) appBySlug(slug string) *app {
	for _, a := range s.apps {
		if strings.EqualFold(a.slug, slug) {
			return a
		}
	}
	return nil
}

func encodeKey(key *rsa.PrivateKey) string {
	if key == nil {
		return ""
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

func (s *Sim) appJSON(a *app) obj {
	return obj{
		"id": a.id, "slug": a.slug, "client_id": a.clientID, "node_id": nodeID("A", a.id), "owner": s.userJSON(a.owner), "name": cmp.Or(a.name, a.slug),
		"description": "", "external_url": s.web("/apps/" + a.slug), "html_url": s.web("/apps/" + a.slug),
		"created_at": stamp(a.created), "updated_at": stamp(a.created), "permissions": a.permissions, "events": nonNil(a.events),
	}
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func appRoutes() []route {
	return []route{{
		pattern: "POST /app-manifests/{code}/conversions", docs: "apps/apps#create-a-github-app-from-a-manifest", free: true, run: convert,
	}, {
		pattern: "GET /app", docs: "apps/apps#get-the-authenticated-app", auth: authJWT, free: true,
		run: func(c *call) reply {
			count := 0
			for _, inst := range c.insts {
				if inst.app == c.who.app && !inst.deleted {
					count++
				}
			}
			return ok(merged(c.appJSON(c.who.app), obj{"installations_count": count}))
		},
	}}
}
