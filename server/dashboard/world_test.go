package dashboard_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/dashboard"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a store in memory.
type shelf struct {
	mu       sync.Mutex
	entries  map[int64]store.Entry
	states   map[int64]*promotion.State
	revision map[int64]uint64
	sessions map[string]kept
	last     uint64
	told     map[chan struct{}]int64
	left     chan struct{} // somebody follows no more
	loads    int
	broken   error
}

type kept struct {
	value    []byte
	revision uint64
	keep     time.Duration
}

func newShelf() *shelf {
	return &shelf{
		entries: map[int64]store.Entry{}, states: map[int64]*promotion.State{}, revision: map[int64]uint64{}, sessions: map[string]kept{}, told: map[chan struct{}]int64{}, left: make(chan struct{}, 100),
	}
}

func (s *shelf) put(state *promotion.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[state.Repo.ID] = store.Entry{Repo: state.Repo, HasPipeline: true}
	s.states[state.Repo.ID] = state
	s.last++
	s.revision[state.Repo.ID] = s.last
	for changed, repo := range s.told {
		if repo == state.Repo.ID {
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	}
}

func (s *shelf) Load(_ context.Context, repo int64) (*promotion.State, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	switch {
	case s.broken != nil:
		return nil, 0, s.broken
	case s.states[repo] == nil:
		return nil, 0, store.ErrNone
	}
	return s.states[repo], s.revision[repo], nil
}

func (s *shelf) Revision(_ context.Context, repo int64) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision[repo], nil
}

func (s *shelf) Follow(_ context.Context, repo int64) (<-chan struct{}, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := make(chan struct{}, 1)
	s.told[changed] = repo
	return changed, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.told, changed)
		s.left <- struct{}{}
	}, nil
}

func (s *shelf) Repo(_ context.Context, id int64) (store.Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, is := s.entries[id]
	return e, is
}

func (s *shelf) Repos(context.Context) []store.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []store.Entry
	for _, e := range s.entries {
		out = append(out, e)
	}
	return out
}

func (s *shelf) Session(_ context.Context, name string) ([]byte, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.sessions[name]
	return k.value, k.revision, nil
}

func (s *shelf) SetSession(_ context.Context, name string, value []byte, revision uint64, keep time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[name].revision != revision {
		return store.ErrLost
	}
	s.last++
	s.sessions[name] = kept{value, s.last, keep}
	return nil
}

func (s *shelf) DropSession(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, name)
	return nil
}

// clock is a time that only tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a simulated GitHub with repositories, and a dashboard over a store in memory.
type world struct {
	t       *testing.T
	sim     *ghsim.Sim
	shelf   *shelf
	clock   *clock
	app     ghsim.RegisteredApp
	secret  string
	inst    int64
	repo    ghsim.Repo // octocat may write, monalisa may read
	dash    *dashboard.Dashboard
	server  *httptest.Server
	asides  []dashboard.Aside
	logged  *lockedLog
	clients []*http.Client
}

type lockedLog struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lockedLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func newWorld(t *testing.T, https bool) *world {
	t.Helper()
	t.Parallel()
	sim, err := ghsim.New(ghsim.Options{Dir: t.TempDir()})
	must(t, err)
	github := httptest.NewServer(sim)
	sim.SetURL(github.URL)
	w := &world{t: t, sim: sim, shelf: newShelf(), clock: &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}, logged: &lockedLog{}}
	wire := &http.Transport{}
	t.Cleanup(func() {
		for _, c := range w.clients {
			c.CloseIdleConnections()
		}
		w.dash.Close()
		w.server.Close()
		wire.CloseIdleConnections()
		github.Close()
		sim.Close()
	})
	w.furnish()
	w.serve(https, github.URL, wire)
	return w
}

func (w *world) furnish() {
	w.sim.AddOrg("acme")
	for _, login := range []string{"octocat", "monalisa", "hubot"} {
		w.sim.AddUser(login)
	}
	var err error
	w.app, err = w.sim.RegisterApp(ghsim.App{Slug: "stagecoach", Owner: "acme", Permissions: map[string]string{"contents": "write"}})
	must(w.t, err)
	w.secret, err = w.sim.AddClientSecret(w.app.ID)
	must(w.t, err)
	w.repo = w.create("gitops")
	must(w.t, w.sim.SetPermission(w.repo, "octocat", "write"))
	must(w.t, w.sim.SetPermission(w.repo, "monalisa", "read"))
	w.inst, err = w.sim.Install(w.app.ID, "acme", w.repo)
	must(w.t, err)
	w.shelf.put(fixture(w.repo, w.inst))
}

func (w *world) create(name string) ghsim.Repo {
	w.t.Helper()
	repo, err := w.sim.CreateRepo("acme", name, ghsim.RepoOptions{Private: true, Files: map[string]string{"README.md": "#\n"}})
	must(w.t, err)
	return repo
}

func (w *world) serve(https bool, github string, wire http.RoundTripper) {
	log := zerolog.New(w.logged)
	later := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.dash.Handler().ServeHTTP(rw, r.WithContext(log.WithContext(r.Context())))
	})
	if https {
		w.server = httptest.NewTLSServer(later)
	} else {
		w.server = httptest.NewServer(later)
	}
	var err error
	w.dash, err = dashboard.New(dashboard.Options{
		Store: w.shelf, WebURL: github, V3URL: github + "/api/v3/", PublicURL: w.server.URL, ClientID: w.app.ClientID, ClientSecret: w.secret,
		Transport: wire, Aside: func(context.Context) ([]dashboard.Aside, error) { return w.asides, nil }, Now: w.clock.read,
	})
	must(w.t, err)
	must(w.t, w.sim.SetCallbacks(w.app.ID, w.dash.Callback()))
}

// visitor is somebody's browser, which follows no redirect by itself.
type visitor struct {
	*world
	client *http.Client
}

func (w *world) browse() *visitor {
	jar, err := cookiejar.New(nil)
	must(w.t, err)
	client := &http.Client{
		Jar: jar, Transport: w.server.Client().Transport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	w.clients = append(w.clients, client)
	return &visitor{w, client}
}

// answer is what a request came to.
type answer struct {
	*http.Response
	body string
}

func (b *visitor) do(method, path string, form url.Values) answer {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 30*time.Second) // a stream where a page should be has no end
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, b.server.URL+path, strings.NewReader(form.Encode()))
	must(b.t, err)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := b.client.Do(req)
	must(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	must(b.t, err)
	return answer{resp, string(body)}
}

func (b *visitor) get(path string) answer { b.t.Helper(); return b.do(http.MethodGet, path, nil) }

// begin goes to GitHub, and gives the query that it is asked with.
func (b *visitor) begin(to string) url.Values {
	b.t.Helper()
	at := b.get("/login?" + url.Values{"to": {to}}.Encode())
	u, err := url.Parse(at.Header.Get("Location"))
	must(b.t, err)
	if at.StatusCode != http.StatusSeeOther || u.Path != "/login/oauth/authorize" || b.sim.URL() != u.Scheme+"://"+u.Host {
		b.t.Fatalf("sign-in leads to %d %s", at.StatusCode, u)
	}
	return u.Query()
}

// back is where GitHub leads after a yes: a path of the dashboard.
func (w *world) back(asked url.Values, login string) string {
	w.t.Helper()
	to, err := w.sim.Authorize(asked, login)
	must(w.t, err)
	path, is := strings.CutPrefix(to, w.server.URL)
	if !is {
		w.t.Fatalf("GitHub leads to %s", to)
	}
	return path
}

// signIn signs somebody in, and gives where that leads.
func (b *visitor) signIn(login, to string) string {
	b.t.Helper()
	got := b.get(b.back(b.begin(to), login))
	if got.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("%s cannot sign in: %d %s", login, got.StatusCode, textOf(got.body))
	}
	return got.Header.Get("Location")
}

func (w *world) as(login string) *visitor {
	w.t.Helper()
	b := w.browse()
	b.signIn(login, "/")
	return b
}

// page is a page that must be there.
func (b *visitor) page(path string) string {
	b.t.Helper()
	got := b.get(path)
	if got.StatusCode != http.StatusOK {
		b.t.Fatalf("GET %s: %d %s", path, got.StatusCode, textOf(got.body))
	}
	return got.body
}

// cookie is the browser's session.
func (b *visitor) cookie() string {
	u, _ := url.Parse(b.server.URL)
	for _, c := range b.client.Jar.Cookies(u) {
		if strings.HasSuffix(c.Name, "stagecoach") {
			return c.Value
		}
	}
	return ""
}

// asked counts the requests to the API whose path has a part.
func (w *world) asked(part string) int {
	n := 0
	for _, r := range w.sim.Requests() {
		if strings.Contains(r.Path, part) {
			n++
		}
	}
	return n
}

var tags = regexp.MustCompile(`<[^>]*>|\s+`)

func textOf(html string) string {
	_, main, _ := strings.Cut(html, "<main")
	return strings.Join(strings.Fields(tags.ReplaceAllString("<main"+main, " ")), " ")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
