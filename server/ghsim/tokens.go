package ghsim

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const tokenLife = time.Hour

// token is an installation's, a person's, or a person's for one App.
type token struct {
	secret      string
	user        *user                           // a person's
	inst        *installation                   // an installation's
	app         *app                            // that a person's is for; nil: it is a personal access token
	reach       func(*repository) *installation // of a person's for an App: through which it reaches a repository; nil: it does not
	expires     time.Time
	permissions map[string]string // nil: all of the installation
	repos       map[int64]bool    // nil: all of the installation
}

func randomText(bytes int) string {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw) // never fails, as its documentation promises
	return base64.RawURLEncoding.EncodeToString(raw)
}

func randomHex(bytes int) string {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw)
	return hex.EncodeToString(raw)
}

// installationSecret has the form of today's stateless tokens: ghs_APPID_ and three parts with dots between, about 520
// characters. (github.blog, "GitHub App installation tokens: per-request override header", 2026.)
func installationSecret(appID int64) string {
	return fmt.Sprintf("ghs_%d_%s.%s.%s", appID, randomText(27), randomText(270), randomText(64))
}

func personSecret() string { return "ghp_" + randomHex(18) }

type tokenRequest struct {
	Repositories  []string          `json:"repositories"`
	RepositoryIDs []int64           `json:"repository_ids"`
	Permissions   map[string]string `json:"permissions"`
}

func createToken(c *call) reply {
	inst, refused := c.ownInstallation()
	if refused != nil {
		return *refused
	}
	if !inst.suspendedAt.IsZero() {
		return fail(http.StatusForbidden, "This installation has been suspended")
	}
	var in tokenRequest
	if !c.decode(&in) {
		return badJSON()
	}
	t := &token{inst: inst, secret: installationSecret(inst.app.id), expires: c.opts.AuthClock().Add(tokenLife)}
	if refused := t.narrow(c, in); refused != nil {
		return *refused
	}
	c.tokens[t.secret] = t
	return created(c.tokenJSON(t))
}

// narrow restricts a token to fewer repositories and permissions than its installation has.
func (t *token) narrow(c *call, in tokenRequest) *reply {
	for name, level := range in.Permissions {
		if !atLeast(t.inst.permissions[name], level) {
			r := fail(http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
			return &r
		}
	}
	if len(in.Permissions) > 0 {
		t.permissions = merge(in.Permissions, map[string]string{"metadata": "read"})
	}
	if len(in.Repositories)+len(in.RepositoryIDs) == 0 {
		return nil
	}
	t.repos = map[int64]bool{}
	for _, id := range append(c.idsOf(t.inst, in.Repositories), in.RepositoryIDs...) {
		if !t.inst.repos[id] {
			r := fail(http.StatusUnprocessableEntity, "There is at least one repository that does not exist or is not accessible to the parent installation.")
			return &r
		}
		t.repos[id] = true
	}
	return nil
}

// idsOf looks names up below the installation's account; an unknown one is 0.
func (c *call) idsOf(inst *installation, names []string) []int64 {
	var ids []int64
	for _, name := range names {
		ids = append(ids, c.names[strings.ToLower(inst.account.login+"/"+name)])
	}
	return ids
}

// RevokeTokens ends all tokens that an installation has, before their time: GitHub answers 401 to them. 0: those of all.
func (s *Sim) RevokeTokens(installation int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for secret, t := range s.tokens {
		if t.inst != nil && (installation == 0 || t.inst.id == installation) {
			delete(s.tokens, secret)
			t.inst.own = nil
		}
	}
}

func (c *call) tokenJSON(t *token) obj {
	out := obj{
		"token": t.secret, "expires_at": stamp(t.expires), "permissions": t.granted(), "repository_selection": "selected",
	}
	if t.repos != nil {
		repos := []obj{}
		for _, r := range c.reposIn(t.repos) {
			repos = append(repos, c.repoJSON(r))
		}
		out["repositories"] = repos
	}
	return out
}

func (t *token) granted() map[string]string {
	if t.permissions != nil {
		return t.permissions
	}
	return t.inst.permissions
}

// reaches says whether the token covers the repository.
func (t *token) reaches(id int64) bool { return t.inst.repos[id] && (t.repos == nil || t.repos[id]) }

func merge(maps ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range maps {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}
