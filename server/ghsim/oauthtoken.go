package ghsim

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The lives of a person's token for an App and of what renews it, unless the App opted out of expiry.
const (
	userTokenLife    = 8 * time.Hour
	refreshTokenLife = 184 * 24 * time.Hour
)

const tokenPath = "/login/oauth/access_token"

// serveToken exchanges a code for a person's token: POST /login/oauth/access_token. What is wrong is told with status 200,
// as JSON for who accepts that, else as a form (docs.github.com, "Troubleshooting OAuth app access token request errors").
func (s *Sim) serveToken(w http.ResponseWriter, r *http.Request) {
	in, err := tokenInput(w, r)
	if r.Method != http.MethodPost || err != nil {
		s.writeUnrouted(w)
		return
	}
	s.mu.Lock()
	answer := s.exchange(in)
	s.mu.Unlock()
	if strings.Contains(r.Header.Get("Accept"), "json") {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(answer) // a client that went away is not our error
		return
	}
	form := url.Values{}
	for name, value := range answer {
		form.Set(name, fmt.Sprint(value))
	}
	w.Header().Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	_, _ = w.Write([]byte(form.Encode()))
}

// tokenInput takes query, form and JSON.
func tokenInput(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if !strings.Contains(r.Header.Get("Content-Type"), "json") {
		err := r.ParseForm()
		return r.Form, err
	}
	fields := map[string]string{}
	if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
		return nil, err
	}
	out := r.URL.Query()
	for name, value := range fields {
		out.Set(name, value)
	}
	return out, nil
}

// exchange judges a request for a token; the caller holds the lock. A code works once.
func (s *Sim) exchange(in url.Values) obj {
	a := s.appByClient(in.Get("client_id"))
	if a == nil || !slices.Contains(a.clientSecrets, in.Get("client_secret")) {
		return tokenError("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
	}
	g := s.grants[in.Get("code")]
	delete(s.grants, in.Get("code"))
	switch {
	case g == nil || g.app != a || !s.opts.AuthClock().Before(g.until) || g.challenge != "" && challengeOf(in.Get("code_verifier")) != g.challenge:
		return tokenError("bad_verification_code", "The code passed is incorrect or expired.")
	case in.Get("redirect_uri") != "" && in.Get("redirect_uri") != g.callback:
		return tokenError("redirect_uri_mismatch", "The redirect_uri MUST match the registered callback URL for this application.")
	}
	t := &token{
		secret: "ghu_" + randomHex(18), user: g.user, app: a, expires: s.opts.AuthClock().Add(userTokenLife),
		reach: func(r *repository) *installation { return s.reachOf(a, r) },
	}
	s.tokens[t.secret] = t
	return obj{
		"access_token": t.secret, "expires_in": int(userTokenLife.Seconds()), "refresh_token": "ghr_" + randomHex(38),
		"refresh_token_expires_in": int(refreshTokenLife.Seconds()), "scope": "", "token_type": "bearer",
	}
}

// challengeOf is the S256 challenge of a verifier (RFC 7636, section 4.2).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func tokenError(name, text string) obj {
	return obj{
		"error": name, "error_description": text,
		"error_uri": "/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/#" + strings.ReplaceAll(name, "_", "-"),
	}
}

// reachOf is the installation through which an App, and so the tokens of persons for it, reach a repository; nil: none.
func (s *Sim) reachOf(a *app, r *repository) *installation {
	for _, inst := range s.insts {
		if inst.app == a && !inst.deleted && inst.suspendedAt.IsZero() && inst.repos[r.id] {
			return inst
		}
	}
	return nil
}
