package page

import (
	"crypto/rand"
	"net/http"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// Options configure the pages. The zero value is fine.
type Options struct {
	// As is who is at the keyboard at first. Empty, or nobody of that name: the first person by name.
	As string
}

// site is what all requests share.
type site struct {
	sim    *ghsim.Sim
	opts   Options
	key    [32]byte // of the form tokens
	looks  looks
	hashes commitCache
	origin *http.CrossOriginProtection
}

// New makes the pages over a simulator; give the handler to its HandlePages.
func New(sim *ghsim.Sim, opts Options) http.Handler {
	s := &site{sim: sim, opts: opts, looks: parseLooks(), origin: http.NewCrossOriginProtection()}
	_, _ = rand.Read(s.key[:]) // never fails, by its documentation
	return guard(s.routes())
}

// The pages run no script and load no style, picture or frame but their own; browsers hold every text to that.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		next.ServeHTTP(w, r)
	})
}

// maxForm bounds what a form may send, in bytes.
const maxForm = 4 << 20
