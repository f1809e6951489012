package dashboard

import "net/http"

// contentPolicy lets pages run one script and load one style sheet of their own, send
// forms home, and be in no frame.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// year is how long browsers remember to come by https alone, in seconds.
const year = "31536000"

// guarded sets the headers that every answer has. Files that never change say for
// themselves how long they may be kept.
func (d *Dashboard) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "private, no-store")
		if d.secure {
			h.Set("Strict-Transport-Security", "max-age="+year)
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		next.ServeHTTP(w, r)
	})
}

// maxForm bounds what a form may send, in bytes: ours hold a token and nothing else.
const maxForm = 4 << 10
