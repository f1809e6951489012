package page

import (
	"errors"
	"net/http"
	"strings"
)

// routes are GitHub's addresses, as far as texts of Apps link to them and people need them.
func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /-/{file}", http.StripPrefix("/-/", http.FileServerFS(static())))
	mux.Handle("GET /{$}", s.get((*visit).home))
	mux.Handle("GET /{owner}", s.get((*visit).owner))
	mux.Handle("GET /apps/{slug}", s.get((*visit).app))
	mux.Handle("POST /-/as", s.post((*visit).become))
	mux.Handle("GET /login/oauth/authorize", s.get((*visit).authorize))
	mux.Handle("POST /login/oauth/authorize", s.post((*visit).consent))
	mux.Handle("POST /settings/apps/new", s.read((*visit).manifest))
	mux.Handle("POST /organizations/{org}/settings/apps/new", s.read((*visit).manifest))
	mux.Handle("POST /-/apps", s.post((*visit).createApp))
	in := func(pattern string, show func(*visit) error) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.Handle(method+" /{owner}/{repo}"+path, s.get(inRepo(show)))
	}
	in("GET ", (*visit).tree)
	in("GET /{$}", func(v *visit) error { return v.goTo(v.at("")) })
	in("GET /tree/{rest...}", (*visit).tree)
	in("GET /blob/{rest...}", (*visit).blob)
	in("GET /raw/{rest...}", (*visit).raw)
	in("GET /edit/{rest...}", (*visit).edit)
	in("GET /new/{rest...}", (*visit).edit)
	in("GET /branches", (*visit).branches)
	in("GET /commits", (*visit).commits)
	in("GET /commits/{rest...}", (*visit).commits)
	in("GET /commit/{sha}", (*visit).commit)
	in("GET /compare/{range...}", (*visit).compare)
	in("GET /issues", (*visit).issues)
	in("GET /issues/new", (*visit).newIssue)
	in("GET /issues/{number}", (*visit).issue)
	in("GET /pulls", (*visit).pulls)
	in("GET /pull/{number}", (*visit).pull)
	in("GET /pull/{number}/{part}", (*visit).pullPart)
	in("GET /runs/{id}", (*visit).run)
	s.acts(mux)
	return mux
}

// acts are the forms. They have addresses of their own below GitHub's.
func (s *site) acts(mux *http.ServeMux) {
	in := func(path string, act func(*visit) error) {
		mux.Handle("POST /{owner}/{repo}"+path, s.post(inRepo(act)))
	}
	in("/edit/{rest...}", (*visit).save)
	in("/new/{rest...}", (*visit).save)
	in("/issues", (*visit).createIssue)
	in("/issues/{number}/comment", (*visit).comment)
	in("/issues/{number}/state", (*visit).setState)
	in("/issues/{number}/react", (*visit).react)
	in("/issues/{number}/tick", (*visit).tick)
	in("/pull/{number}/review", (*visit).review)
	in("/pull/{number}/ready", (*visit).ready)
	in("/pull/{number}/merge", (*visit).merge)
	in("/pull/{number}/branch", (*visit).deleteBranch)
	in("/runs/{id}/press", (*visit).press)
}

func (s *site) get(show func(*visit) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := s.visit(w, r)
		v.end(show(v))
	})
}

// read shows what a form of another site asks for. It changes nothing, so it needs no token of ours.
func (s *site) read(show func(*visit) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := s.visit(w, r)
		if err := r.ParseForm(); err != nil {
			v.end(failed(http.StatusBadRequest, "The form could not be read: "+err.Error()))
			return
		}
		v.end(show(v))
	})
}

// post runs an act only when the form is one of ours, from this browser.
func (s *site) post(act func(*visit) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := s.visit(w, r)
		var tooLarge *http.MaxBytesError
		switch err := r.ParseForm(); {
		case errors.As(err, &tooLarge):
			v.end(failed(http.StatusRequestEntityTooLarge, "That is too much for one form: at most 4 MiB."))
		case err != nil:
			v.end(failed(http.StatusBadRequest, "The form could not be read: "+err.Error()))
		case s.origin.Check(r) != nil || !v.tokenFits(r.PostForm.Get("csrf")):
			v.end(failed(http.StatusForbidden, "This form is too old, or comes from another site. Go back, load the page again and repeat."))
		default:
			v.end(act(v))
		}
	})
}
