package ghsim_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// Whatever is sent as a body or a query is answered with JSON and a status that says something; nothing panics.
func FuzzRequests(f *testing.F) {
	sim, err := ghsim.New(ghsim.Options{Dir: f.TempDir()})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(sim.Close)
	repo, err := sim.CreateRepo("acme", "gitops", ghsim.RepoOptions{Files: map[string]string{"a": "a"}})
	if err != nil {
		f.Fatal(err)
	}
	if err := sim.SetPermission(repo, "octocat", "admin"); err != nil {
		f.Fatal(err)
	}
	token := sim.AddUser("octocat")
	for _, seed := range [][3]string{
		{"POST", "issues", `{"title":"x","labels":["a",{"name":"b"},3,null],"body":null}`},
		{"PATCH", "issues/1", `{"state":"closed","labels":[]}`},
		{"GET", "issues?per_page=-1&page=99999999999999999999&labels=,,&since=x&sort=updated", ""},
		{"POST", "issues/1/labels", `["a"]`},
		{"POST", "issues/1/comments", `{"body":1}`},
		{"POST", "issues/comments/1/reactions", `{"content":"eyes"}`},
		{"POST", "pulls", `{"title":"x","head":"acme:","base":"--all"}`},
		{"PUT", "pulls/1/merge", `[]`},
		{"GET", "commits/--all/check-runs?filter=all", ""},
		{"GET", "commits/heads/main/check-runs", ""},
		{"GET", "git/ref/heads/main%00", ""},
		{"DELETE", "git/refs/", ""},
		{"GET", "branches/..%2f..", ""},
		{"GET", "collaborators/acme/permission", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, method, path, body string) {
		r, err := http.NewRequest(method, "http://localhost/api/v3/repos/acme/gitops/"+path, strings.NewReader(body))
		if err != nil {
			return // no client can send it
		}
		r.Header.Set("Authorization", "token "+token)
		w := httptest.NewRecorder()
		sim.ServeHTTP(w, r)
		if w.Code >= 500 || w.Code < 200 {
			t.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		if raw := w.Body.Bytes(); len(raw) > 0 && strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && !json.Valid(raw) {
			t.Errorf("%s %s: %s", method, path, raw)
		}
	})
}
