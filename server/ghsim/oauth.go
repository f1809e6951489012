package ghsim

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// codeLife is how long a code of the web application flow may be exchanged
// (docs.github.com, "Generating a user access token for a GitHub App").
const codeLife = 10 * time.Minute

// grant is a code that a person's yes gave, until it is exchanged.
type grant struct {
	app       *app
	user      *user
	callback  string
	challenge string // empty: without PKCE
	until     time.Time
}

// AddClientSecret makes one more client secret of an App, as "Generate a new client secret" does in its settings.
func (s *Sim) AddClientSecret(appID int64) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.apps[appID]
	if a == nil {
		return "", fmt.Errorf("client secret: there is no app %d", appID)
	}
	secret := randomHex(20)
	a.clientSecrets = append(a.clientSecrets, secret)
	return secret, nil
}

// SetCallbacks replaces the callback URLs of an App. GitHub takes ten.
func (s *Sim) SetCallbacks(appID int64, urls ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.apps[appID]
	if a == nil || len(urls) > 10 {
		return fmt.Errorf("callback URLs: there is no app %d, or there are more than ten", appID)
	}
	a.callbacks = slices.Clone(urls)
	return nil
}

// Authorization is what the page /login/oauth/authorize asks a person.
type Authorization struct {
	App      string // its slug
	Callback string // where the answer leads
	Given    bool   // the person said yes before: GitHub does not ask again
}

// Authorization reads the query of /login/oauth/authorize. Where it is wrong in a way that GitHub tells the App of, wrong
// is the address to go to.
func (s *Sim) Authorization(q url.Values, login string) (ask Authorization, wrong string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.appByClient(q.Get("client_id"))
	if a == nil {
		return ask, "", fmt.Errorf("there is no app with the client ID %q", q.Get("client_id"))
	}
	if len(a.callbacks) == 0 {
		return ask, "", fmt.Errorf("the app %s has no callback URL", a.slug)
	}
	callback := cmp.Or(q.Get("redirect_uri"), a.callbacks[0])
	switch {
	case !slices.Contains(a.callbacks, callback):
		return ask, answerTo(a.callbacks[0], q, "error", "redirect_uri_mismatch",
			"error_description", "The redirect_uri MUST match the registered callback URL for this application."), nil
	case q.Get("code_challenge") != "" && q.Get("code_challenge_method") != "S256": // GitHub knows S256 alone; its words are unconfirmed
		return ask, answerTo(callback, q, "error", "invalid_request", "error_description", "The code_challenge_method must be S256."), nil
	}
	u := s.users[strings.ToLower(login)]
	return Authorization{App: a.slug, Callback: callback, Given: u != nil && a.authorized[u.id]}, "", nil
}

// Authorize is a person's yes to an App: it gives the address to go to, with the code in it.
func (s *Sim) Authorize(q url.Values, login string) (string, error) {
	ask, wrong, err := s.Authorization(q, login)
	if err != nil || wrong != "" {
		return wrong, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[strings.ToLower(login)]
	if u == nil || u.kind != "User" {
		return "", fmt.Errorf("there is nobody called %q here", login)
	}
	a := s.appByClient(q.Get("client_id"))
	if a.authorized == nil {
		a.authorized = map[int64]bool{}
	}
	a.authorized[u.id] = true
	code := randomHex(10)
	s.grants[code] = &grant{app: a, user: u, callback: ask.Callback, challenge: q.Get("code_challenge"), until: s.opts.AuthClock().Add(codeLife)}
	return answerTo(ask.Callback, q, "code", code), nil
}

// Deny is a person's no: it gives the address to go to.
func (s *Sim) Deny(q url.Values) (string, error) {
	ask, wrong, err := s.Authorization(q, "")
	if err != nil || wrong != "" {
		return wrong, err
	}
	return answerTo(ask.Callback, q, "error", "access_denied", "error_description", "The user has denied your application access."), nil
}

// RevokeAuthorization is a person taking their yes back: the App's tokens for them stop working.
func (s *Sim) RevokeAuthorization(appID int64, login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for secret, t := range s.tokens {
		if t.app != nil && t.app.id == appID && strings.EqualFold(t.user.login, login) {
			delete(t.app.authorized, t.user.id)
			delete(s.tokens, secret)
		}
	}
}

// answerTo is a callback with pairs of names and values, and the state that was given.
func answerTo(callback string, q url.Values, pairs ...string) string {
	u, err := url.Parse(callback)
	if err != nil {
		return callback
	}
	out := u.Query()
	for i := 0; i < len(pairs); i += 2 {
		out.Set(pairs[i], pairs[i+1])
	}
	if state := q.Get("state"); state != "" {
		out.Set("state", state)
	}
	u.RawQuery = out.Encode()
	return u.String()
}

func (s *Sim) appByClient(id string) *app {
	for _, a := range s.apps {
		if id != "" && a.clientID == id {
			return a
		}
	}
	return nil
}
