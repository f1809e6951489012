package setup

import (
	"crypto/subtle"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
)

//go:embed page.html
var pageFile embed.FS

var page = template.Must(template.ParseFS(pageFile, "page.html"))

// pageData is what the page shows: the form, or how it went.
type pageData struct {
	Name, Owner, Public, GitHub string
	Action, Manifest            string
	Result                      *Result
	Wrong, Again                string
}

func (r *registration) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /"+r.key, r.start)
	mux.HandleFunc("GET "+createdPath, r.created)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action "+r.site.web)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if !r.ours(req.Host) { // a name that was made to lead here
			http.Error(w, "This page has another address; look at the terminal.", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, req)
	})
}

// ours says whether a request was meant for this page: by the address that it listens on or, through a tunnel,
// by this machine's own name.
func (r *registration) ours(host string) bool {
	return host == r.host || local((&url.URL{Host: host}).Hostname())
}

// start is the page with the form that takes the manifest to GitHub.
func (r *registration) start(w http.ResponseWriter, _ *http.Request) {
	r.show(w, http.StatusOK, pageData{Action: r.site.newApp(r.Org, r.state), Manifest: r.manifest})
}

// created is where GitHub leads the browser back to.
func (r *registration) created(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(r.state)) != 1 || q.Get("code") == "" {
		r.show(w, http.StatusForbidden, pageData{Wrong: "This answer does not belong to the setup that runs now."})
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made { // the button was pressed in a second window
		r.show(w, http.StatusConflict, pageData{Wrong: "An App is registered already, and its credentials are stored. Delete this second one on GitHub."})
		return
	}
	result, err := r.exchange(req.Context(), q.Get("code"))
	if err != nil {
		fmt.Fprintf(r.Out, "❌ %v\n", err)
		r.show(w, http.StatusBadGateway, pageData{Wrong: err.Error(), Again: "/" + r.key})
		return
	}
	r.show(w, http.StatusOK, pageData{Result: &result})
	r.made = true
	r.done <- result
}

func (r *registration) show(w http.ResponseWriter, status int, data pageData) {
	data.Name, data.Owner, data.Public, data.GitHub = r.name, r.Org, r.public, r.site.web
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = page.Execute(w, data) // a browser that went away is not our error
}
