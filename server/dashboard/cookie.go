package dashboard

import (
	"net/http"
	"time"
)

const (
	sessionCookie = "stagecoach"
	signInCookie  = "stagecoach-sign-in"
)

// cookieName is a cookie's name. By https it has the prefix that keeps every other host,
// and every page without https, from setting it:
// https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes
func (d *Dashboard) cookieName(name string) string {
	if d.secure {
		return "__Host-" + name
	}
	return name
}

// setCookie gives a cookie to the browser, and with an empty value takes it away. Lax
// lets it come along when GitHub leads back, but with no form of another site.
func (d *Dashboard) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	c := &http.Cookie{
		Name: d.cookieName(name), Value: value, Path: "/", MaxAge: int(life.Seconds()),
		Secure: d.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}
