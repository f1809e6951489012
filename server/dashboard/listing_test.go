package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/dashboard"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// crowd is a GitHub with one person, who sees so many repositories of one installation.
type crowd struct {
	sees int

	mu    sync.Mutex
	asked map[string]int
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := func(id int) string { return fmt.Sprintf("acme/repo-%05d", id) }
	entry := func(id int) map[string]any { return map[string]any{"id": id, "full_name": name(id)} }
	var answer any
	switch path := r.URL.Path; {
	case path == "/login/oauth/access_token":
		answer = map[string]any{"access_token": "ghu_x", "expires_in": 28800}
	case path == "/api/v3/user":
		answer = map[string]any{"id": 1, "login": "octocat"}
	case path == "/api/v3/user/installations":
		c.asked["installations"]++
		answer = map[string]any{"installations": []any{map[string]any{"id": 9}, map[string]any{"id": 10}}}
	case strings.HasPrefix(path, "/api/v3/user/installations/9/"):
		c.asked["pages"]++
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		var list []any
		for id := (page-1)*100 + 1; id <= min(page*100, c.sees); id++ {
			list = append(list, entry(id))
		}
		if page*100 < c.sees {
			w.Header().Set("Link", `<https://x/?page=2>; rel="next"`)
		}
		answer = map[string]any{"total_count": c.sees, "repositories": list}
	case strings.HasPrefix(path, "/api/v3/repos/"):
		c.asked["repositories"]++
		id, _ := strconv.Atoi(path[len("/api/v3/repos/acme/repo-"):])
		if id > c.sees {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		answer = entry(id)
	default:
		c.asked["else "+path]++
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// list signs the person in, and gives the text of the list and what was asked for it.
func (c *crowd) list(t *testing.T, shelf *shelf) (string, map[string]int) {
	t.Helper()
	c.asked = map[string]int{}
	github := httptest.NewServer(c)
	t.Cleanup(github.Close)
	wire := &http.Transport{}
	t.Cleanup(wire.CloseIdleConnections)
	d, err := dashboard.New(dashboard.Options{
		Store: shelf, WebURL: github.URL, V3URL: github.URL + "/api/v3/", PublicURL: "http://here.example/below", ClientID: "id", ClientSecret: "secret", Transport: wire,
	})
	must(t, err)
	out := httptest.NewRecorder()
	d.Handler().ServeHTTP(out, httptest.NewRequest(http.MethodGet, "/login", nil))
	_, state, _ := strings.Cut(out.Header().Get("Location"), "&state=")
	back := httptest.NewRequest(http.MethodGet, "/api/github/auth?code=x&state="+state, nil)
	back.AddCookie(out.Result().Cookies()[0])
	in := httptest.NewRecorder()
	d.Handler().ServeHTTP(in, back)
	if in.Header().Get("Location") != "/below/" {
		t.Fatalf("below a path, the sign-in leads to %q", in.Header().Get("Location"))
	}
	for range 3 { // asked for once, then remembered
		out = httptest.NewRecorder()
		page := httptest.NewRequest(http.MethodGet, "/", nil)
		for _, c := range in.Result().Cookies() {
			if c.MaxAge > 0 {
				page.AddCookie(c)
			}
		}
		d.Handler().ServeHTTP(out, page)
		if out.Code != http.StatusOK {
			t.Fatalf("%d %s", out.Code, textOf(out.Body.String()))
		}
	}
	if strings.Contains(out.Body.String(), `href="/r/`) || strings.Contains(out.Body.String(), `href="/-/`) {
		t.Error("a link leads out of the path that the dashboard is below")
	}
	return textOf(out.Body.String()), c.asked
}

// known puts repositories with a pipeline into the index.
func known(shelf *shelf, installation int64, ids ...int) {
	for _, id := range ids {
		repo := promotion.Repo{ID: int64(id), Owner: "acme", Name: fmt.Sprintf("repo-%05d", id), Installation: installation}
		shelf.entries[repo.ID] = store.Entry{Repo: repo, HasPipeline: true}
	}
}

func upTo(from, to int) []int {
	var out []int
	for i := from; i <= to; i++ {
		out = append(out, i)
	}
	return out
}

// However many repositories a person has, and however many have a pipeline, a list costs
// a bounded number of requests.
func TestListsAreBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		sees  int
		known []int
		want  string // requests
		shown []string
		not   []string
	}{
		"few":                         {30, []int{3, 40}, "pages 1 one by one 0", []string{"acme/repo-00003"}, []string{"acme/repo-00040", "There may be more"}},
		"10,000, of which ten count":  {10_000, []int{5, 500, 9_999, 20_000}, "pages 1 one by one 3", []string{"acme/repo-00005", "acme/repo-00500", "acme/repo-09999"}, []string{"acme/repo-20000", "There may be more"}},
		"10,000, which all count":     {10_000, upTo(1, 10_000), "pages 100 one by one 0", []string{"acme/repo-00001", "500 of 10000"}, []string{"There may be more"}},
		"100,000, which all count":    {100_000, upTo(1, 30_000), "pages 119 one by one 0", []string{"500 of 11900", "There may be more"}, nil},
		"nothing has a pipeline here": {10_000, nil, "pages 0 one by one 0", []string{"There is no repository"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shelf, c := newShelf(), &crowd{sees: tt.sees}
			known(shelf, 9, tt.known...)
			known(shelf, 11, 77_777) // of an installation that is none of theirs
			text, asked := c.list(t, shelf)
			if got := fmt.Sprintf("pages %d one by one %d", asked["pages"], asked["repositories"]); got != tt.want || asked["installations"] != 1 {
				t.Errorf("it cost %v, want %s", asked, tt.want)
			}
			for _, word := range tt.shown {
				if !strings.Contains(text, word) {
					t.Errorf("%s is not shown in %.500s", word, text)
				}
			}
			for _, word := range append(tt.not, "77777") {
				if strings.Contains(text, word) {
					t.Errorf("%s is shown", word)
				}
			}
		})
	}
}
