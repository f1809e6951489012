package ghsim

import (
	"encoding/base64"
	"net/http"
	"strings"
)

type principalKind int

const (
	anonymous   principalKind = iota
	asApp                     // an App's JWT
	asInstalled               // an installation token
	asPerson                  // a personal token
)

// authKind says which credentials a route takes.
type authKind int

const (
	authAny authKind = iota // whatever the repository's visibility allows
	authJWT
	authInstallation
)

// principal is who makes a request.
type principal struct {
	kind  principalKind
	app   *app
	inst  *installation
	token *token
	user  *user
}

// actor is the account that events name as sender; nil for nobody.
func (p principal) actor() *user {
	if p.app != nil {
		return p.app.bot
	}
	return p.user
}

func (p principal) installationID() int64 {
	if p.kind != asInstalled {
		return 0
	}
	return p.inst.id
}

func (p principal) rateKey() string {
	switch p.kind {
	case asInstalled:
		return installationKey(p.inst.id)
	case asApp:
		return "app " + p.app.slug
	case asPerson:
		return "user " + p.user.login
	default:
		return "127.0.0.1"
	}
}

// authenticate reads an Authorization header. A credential that is shown and wrong is refused, also where none is needed.
func (s *Sim) authenticate(header string) (principal, *reply) {
	if header == "" {
		return principal{}, nil
	}
	secret := secretIn(header)
	if t := s.tokens[secret]; t != nil {
		return s.tokenPrincipal(t)
	}
	if strings.Count(secret, ".") == 2 && !strings.HasPrefix(secret, "ghs_") {
		return s.jwtPrincipal(secret)
	}
	return refuse(badCredentials())
}

func refuse(r reply) (principal, *reply) { return principal{}, &r }

// secretIn takes the credential out of "Bearer X", "token X" or basic authentication, where it is the password.
func secretIn(header string) string {
	scheme, rest, _ := strings.Cut(header, " ")
	switch strings.ToLower(scheme) {
	case "bearer", "token":
		return strings.TrimSpace(rest)
	case "basic":
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		if err != nil {
			return ""
		}
		_, password, _ := strings.Cut(string(raw), ":")
		return password
	}
	return ""
}

func (s *Sim) tokenPrincipal(t *token) (principal, *reply) {
	if t.user != nil {
		if t.app != nil && !s.opts.AuthClock().Before(t.expires) {
			return refuse(badCredentials())
		}
		return principal{kind: asPerson, user: t.user, token: t}, nil
	}
	if !s.opts.AuthClock().Before(t.expires) || t.inst.deleted {
		return refuse(badCredentials())
	}
	if !t.inst.suspendedAt.IsZero() {
		return refuse(fail(http.StatusForbidden, "This installation has been suspended"))
	}
	return principal{kind: asInstalled, app: t.inst.app, inst: t.inst, token: t}, nil
}

// checkKind refuses credentials of the wrong kind for the route.
func (c *call) checkKind() *reply {
	var r reply
	switch {
	case c.route.auth == authJWT && c.who.kind != asApp:
		r = fail(http.StatusUnauthorized, "A JSON web token could not be decoded")
	case c.route.auth == authInstallation && c.who.kind != asInstalled:
		r = fail(http.StatusForbidden, "You must authenticate with an installation access token in order to list repositories for an installation.")
	default:
		return nil
	}
	return &r
}
