package page

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// The cookies: the session that form tokens are bound to, who is at the keyboard, and what the next page has to say.
const (
	sessionCookie, personCookie, noticeCookie = "ghsim_session", "ghsim_as", "ghsim_notice"

	maxNotice = 1500 // bytes, so that a cookie holds it
)

var sessionForm = regexp.MustCompile(`^[A-Z2-7]{26,}$`)

func (v *visit) setCookie(name, value string, maxAge int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// readSession finds the browser's session, or begins one.
func (v *visit) readSession() {
	if c, err := v.r.Cookie(sessionCookie); err == nil && sessionForm.MatchString(c.Value) {
		v.session = c.Value
		return
	}
	v.session = rand.Text()
	v.setCookie(sessionCookie, v.session, 0)
}

// token is what every form of this session carries. Other sites can send the cookie but not know the token.
func (v *visit) token() string {
	mac := hmac.New(sha256.New, v.key[:])
	mac.Write([]byte(v.session))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (v *visit) tokenFits(got string) bool { return hmac.Equal([]byte(got), []byte(v.token())) }

// readPerson takes the person of the cookie, else the one of the options, else the first by name; "" when there is none.
func (v *visit) readPerson() {
	people := v.sim.People()
	wanted := []string{v.opts.As}
	if c, err := v.r.Cookie(personCookie); err == nil {
		wanted = []string{c.Value, v.opts.As}
	}
	for _, login := range wanted {
		at := slices.IndexFunc(people, func(p string) bool { return strings.EqualFold(p, login) })
		if at >= 0 {
			v.me = people[at]
			return
		}
	}
	if len(people) > 0 {
		v.me = people[0]
	}
}

// become changes who is at the keyboard.
func (v *visit) become() error {
	login := v.r.PostForm.Get("as")
	if !slices.Contains(v.sim.People(), login) {
		return failed(http.StatusNotFound, "There is nobody called "+login+" here.")
	}
	v.setCookie(personCookie, login, 0)
	return v.goTo(v.back("/"))
}

// notice is one sentence at the head of the next page.
type notice struct {
	Bad  bool
	Text string
}

// say leaves a notice for the page that the answer leads to.
func (v *visit) say(n notice) {
	if len(n.Text) > maxNotice {
		n.Text = strings.ToValidUTF8(n.Text[:maxNotice], "") + "…"
	}
	raw, err := json.Marshal(n)
	if err != nil {
		return // a bool and a string: cannot happen
	}
	v.setCookie(noticeCookie, base64.RawURLEncoding.EncodeToString(raw), 60)
}

// readNotice takes what the last act left to say, for the page that is about to be shown. An address that only leads on
// leaves it, and so does the script that looks at a page again.
func (v *visit) readNotice() {
	c, err := v.r.Cookie(noticeCookie)
	if err != nil || v.notice != nil || v.r.Header.Get("X-Renew") != "" {
		return
	}
	v.setCookie(noticeCookie, "", -1)
	raw, err := base64.RawURLEncoding.DecodeString(c.Value)
	var n notice
	if err == nil && json.Unmarshal(raw, &n) == nil && n.Text != "" {
		v.notice = &n
	}
}

// back is the local address that a form names as where it came from.
func (v *visit) back(otherwise string) string {
	to := v.r.PostForm.Get("back")
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return otherwise
	}
	return to
}
