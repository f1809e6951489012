package dashboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

// signInLife is how long somebody may take at GitHub, which keeps a code as long.
const signInLife = 10 * time.Minute

// signIn is a sign-in under way. It stands sealed in a cookie, which binds it to the
// browser that began it.
type signIn struct {
	State    string    `json:"state"`
	Verifier string    `json:"verifier"` // of PKCE: without it the code is worth nothing
	To       string    `json:"to"`
	Until    time.Time `json:"until"`
}

// login leads to GitHub, which asks who is there.
func (d *Dashboard) login(w http.ResponseWriter, r *http.Request) {
	begun := signIn{State: newID(), Verifier: newID(), To: local(r.URL.Query().Get("to")), Until: d.now().Add(signInLife)}
	sealed, err := d.seal.close("sign-in", "", begun)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	d.setCookie(w, signInCookie, base64.RawURLEncoding.EncodeToString(sealed), signInLife)
	sum := sha256.Sum256([]byte(begun.Verifier))
	q := url.Values{
		"client_id": {d.opts.ClientID}, "redirect_uri": {d.Callback()}, "state": {begun.State},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	http.Redirect(w, r, d.opts.WebURL+"/login/oauth/authorize?"+q.Encode(), http.StatusSeeOther)
}

// callback is where GitHub leads back to.
func (d *Dashboard) callback(w http.ResponseWriter, r *http.Request) {
	begun, ok := d.begun(r)
	d.setCookie(w, signInCookie, "", 0) // one cookie, one try
	q := r.URL.Query()
	switch {
	case !ok || !hmac.Equal([]byte(q.Get("state")), []byte(begun.State)):
		d.refuse(w, r, http.StatusBadRequest, "This sign-in was not begun in this browser, or it took longer than ten minutes. Sign in again.")
	case q.Get("error") == "access_denied":
		d.refuse(w, r, http.StatusForbidden, "You did not let Stagecoach know who you are, so it can show you nothing.")
	case q.Get("error") == "redirect_uri_mismatch":
		d.refuse(w, r, http.StatusBadGateway, "The App does not know this address. Whoever runs this server has to add "+d.Callback()+" to the App's callback URLs.")
	case q.Get("error") != "" || q.Get("code") == "":
		d.refuse(w, r, http.StatusBadGateway, "GitHub did not say who you are. Sign in again.")
	case !d.tries.may(d.now()):
		d.refuse(w, r, http.StatusServiceUnavailable, "Too many people sign in at once. Try again in a moment.")
	default:
		d.welcome(w, r, begun, q.Get("code"))
	}
}

// begun reads the sign-in of this browser.
func (d *Dashboard) begun(r *http.Request) (begun signIn, ok bool) {
	cookie, err := r.Cookie(d.cookieName(signInCookie))
	if err != nil {
		return begun, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || d.seal.open("sign-in", "", sealed, &begun) != nil {
		return begun, false
	}
	return begun, begun.State != "" && d.now().Before(begun.Until)
}

// welcome exchanges the code, and begins a session in place of the one that the browser
// had before.
func (d *Dashboard) welcome(w http.ResponseWriter, r *http.Request, begun signIn, code string) {
	ctx := r.Context()
	token, err := d.github.exchange(ctx, code, begun.Verifier, d.Callback())
	if err != nil {
		d.notExchanged(w, r, err)
		return
	}
	who, err := d.github.whoIs(ctx, token.Secret)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	if before, err := d.session(r); err == nil {
		if err := d.drop(ctx, before); err != nil {
			zerolog.Ctx(ctx).Warn().Err(err).Msg("a session that was replaced could not be dropped")
		}
	}
	s, err := d.begin(ctx, who, token)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	zerolog.Ctx(ctx).Info().Str("login", who.Login).Msg("somebody signed in to the dashboard")
	d.setCookie(w, sessionCookie, s.id, s.Ends.Sub(d.now()))
	http.Redirect(w, r, d.at(begun.To), http.StatusSeeOther)
}

func (d *Dashboard) notExchanged(w http.ResponseWriter, r *http.Request, err error) {
	var refused *exchangeError
	switch {
	case !errors.As(err, &refused):
		d.failed(w, r, err)
	case refused.Name == "incorrect_client_credentials":
		zerolog.Ctx(r.Context()).Error().Msg("GitHub does not take GITHUB_OAUTH_CLIENT_ID and GITHUB_OAUTH_CLIENT_SECRET: make a new client secret in the App's settings")
		d.refuse(w, r, http.StatusBadGateway, "GitHub does not take this server's client secret. Whoever runs it has to set another one.")
	default:
		d.refuse(w, r, http.StatusBadRequest, "GitHub does not take this sign-in any more. Sign in again.")
	}
}

// logout ends the session, if the form is one of its own.
func (d *Dashboard) logout(w http.ResponseWriter, r *http.Request) {
	s, err := d.session(r)
	switch {
	case errors.Is(err, errSignedOut):
		http.Redirect(w, r, d.at("/"), http.StatusSeeOther)
		return
	case err != nil:
		d.failed(w, r, err)
		return
	case !s.fits(r.PostFormValue("token")):
		d.refuse(w, r, http.StatusForbidden, "This form is too old, or comes from another site. Go back, load the page again and repeat.")
		return
	}
	if err := d.drop(r.Context(), s); err != nil {
		d.failed(w, r, err)
		return
	}
	d.setCookie(w, sessionCookie, "", 0)
	http.Redirect(w, r, d.at("/"), http.StatusSeeOther)
}

// localForm are the addresses that a sign-in may lead to: pages of the dashboard.
var localForm = regexp.MustCompile(`^/(?:r/[A-Za-z0-9._/-]+)?(?:\?[A-Za-z0-9_=&%.+-]*)?$`)

// local is an address of the dashboard, "/" for every other.
func local(to string) string {
	where, _, _ := strings.Cut(to, "?")
	if !localForm.MatchString(to) || path.Clean(where) != where {
		return "/"
	}
	return to
}
