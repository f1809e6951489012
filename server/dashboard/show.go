package dashboard

import (
	"bytes"
	"net/http"

	"github.com/rs/zerolog"
)

// frame is what every page has around its own content.
type frame struct {
	Title string
	Login string // empty: nobody is signed in
	Token string // of forms
	Repo  string // "owner/repo"; empty outside of one
	Live  string // where to hear of changes; empty: nothing changes by itself
	// Revision is the one of the state that the page shows.
	Revision uint64
	Page     any

	at func(string) string
}

// At is an address of the dashboard.
func (f frame) At(path string) string { return f.at(path) }

// page shows a page to who is signed in.
func (v *visit) page(name, title string, content any) error {
	v.show(v.w, v.r, http.StatusOK, name, v.frame(title, content))
	return nil
}

// pageLive shows a page of a repository, which hears of changes after a revision.
func (v *visit) pageLive(name, title string, revision uint64, content any) error {
	f := v.frame(title, content)
	f.Live, f.Revision = v.at("/r/"+v.repo.FullName()+"/live"), revision
	v.show(v.w, v.r, http.StatusOK, name, f)
	return nil
}

func (v *visit) frame(title string, content any) frame {
	f := frame{Title: title, Login: v.who.Login, Token: v.who.formToken(), Page: content}
	if v.repo.ID != 0 {
		f.Repo = v.repo.FullName()
	}
	return f
}

// message is a page that says one thing.
type message struct{ Text, More string }

// say shows one thing to who is signed in. The page names no repository, so that one
// which is not to be seen looks like one that is not there.
func (v *visit) say(status int, text, more string) {
	v.repo.ID = 0
	v.show(v.w, v.r, status, "message", v.frame(http.StatusText(status), message{text, more}))
}

// refuse says why a sign-in did not succeed.
func (d *Dashboard) refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	d.show(w, r, status, "refused", frame{Title: "Not signed in", Page: message{Text: text}})
}

// failed says that something does not work here, or at GitHub, and logs what.
func (d *Dashboard) failed(w http.ResponseWriter, r *http.Request, err error) {
	zerolog.Ctx(r.Context()).Error().Err(err).Str("path", r.URL.Path).Msg("the dashboard could not answer")
	d.refuse(w, r, http.StatusServiceUnavailable, "That did not work just now. Nothing is lost: promotions go on without the dashboard. Try again in a moment.")
}

// invite offers to sign in, and to come back to this page.
func (d *Dashboard) invite(w http.ResponseWriter, r *http.Request) {
	to := "/"
	if r.Method == http.MethodGet {
		to = local(r.URL.RequestURI())
	}
	d.show(w, r, http.StatusUnauthorized, "invite", frame{Title: "Sign in", Page: to})
}

func (d *Dashboard) show(w http.ResponseWriter, r *http.Request, status int, page string, f frame) {
	f.at = d.at
	var out bytes.Buffer
	if err := d.looks[page].ExecuteTemplate(&out, "frame.html", f); err != nil {
		zerolog.Ctx(r.Context()).Error().Err(err).Str("page", page).Msg("a page of the dashboard could not be drawn")
		http.Error(w, "This page cannot be drawn.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // a reader who went away is not our error
}
