package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// everyPath is one of each kind.
var everyPath = []string{
	"/", "/?q=x", "/r/acme/gitops", "/r/acme/gitops/live", "/r/acme/gitops/pipelines/default", "/r/acme/gitops/promotions/prod.x.y", "/r/acme/none",
	"/r/acme/gitops/elsewhere", "/anything", "/favicon.ico",
}

func TestSignInIsNeeded(t *testing.T) {
	w := newWorld(t, false)
	b := w.browse()
	for _, path := range everyPath {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			got := b.do(method, path, nil)
			if got.StatusCode != http.StatusUnauthorized && got.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d without a session", method, path, got.StatusCode)
			}
			for _, word := range []string{"promotion to", "web 140bf12", "staging", "octocat"} {
				if strings.Contains(got.body, word) {
					t.Errorf("%s %s says %q without a session", method, path, word)
				}
			}
		}
	}
	if n := w.asked("/repos/"); n != 0 {
		t.Errorf("GitHub was asked %d times without a session", n)
	}
	octocat := w.as("octocat") // and with one the pages are there
	if !strings.Contains(octocat.page("/r/acme/gitops"), "web 140bf12") {
		t.Error("the page is empty")
	}
}

// A sign-in counts in the browser that began it, once, and for ten minutes.
func TestSignInsAreBoundToTheirBrowser(t *testing.T) {
	w := newWorld(t, false)
	refused := func(what string, got answer, b *visitor) {
		t.Helper()
		if got.StatusCode < 400 || b.cookie() != "" {
			t.Errorf("%s: %d, and the session %q", what, got.StatusCode, b.cookie())
		}
	}
	elsewhere := func(what string, got answer, b *visitor) {
		t.Helper()
		refused(what, got, b)
		if !strings.Contains(got.body, "not begun in this browser") {
			t.Errorf("%s: refused, but not for its state: %s", what, textOf(got.body))
		}
	}
	one, two := w.browse(), w.browse()
	asked := one.begin("/")
	back := w.back(asked, "octocat")
	elsewhere("another browser", two.get(back), two)
	two.begin("/")
	elsewhere("another browser, with a sign-in of its own", two.get(back), two)

	other := one.begin("/")
	elsewhere("the state of an earlier try", one.get(back), one)
	back = w.back(other, "octocat")
	elsewhere("the cookie is used up", one.get(back), one)

	back = w.back(one.begin("/"), "octocat")
	w.clock.pass(11 * time.Minute)
	elsewhere("too late", one.get(back), one)

	one.begin("/")
	elsewhere("no state", one.get("/api/github/auth?code=x"), one)
	one.begin("/")
	elsewhere("an empty state", one.get("/api/github/auth?state=&code=x"), one)
	asked = one.begin("/")
	refused("a wrong code", one.get("/api/github/auth?"+url.Values{"state": {asked.Get("state")}, "code": {"x"}}.Encode()), one)

	back = w.back(one.begin("/"), "octocat")
	if got := one.get(back); got.StatusCode != http.StatusSeeOther || one.cookie() == "" {
		t.Fatalf("all is well: %d", got.StatusCode)
	}
	was := one.cookie()
	if got := one.get(back); got.StatusCode < 400 || one.cookie() != was {
		t.Errorf("played again: %d", got.StatusCode)
	}
}

// The code of a sign-in is worth nothing without the verifier that this server keeps.
func TestSignInUsesPKCE(t *testing.T) {
	w := newWorld(t, false)
	asked := w.browse().begin("/")
	if asked.Get("code_challenge_method") != "S256" || len(asked.Get("code_challenge")) != 43 || len(asked.Get("state")) < 32 {
		t.Errorf("GitHub is asked with %v", asked)
	}
	if asked.Get("redirect_uri") != w.server.URL+"/api/github/auth" || asked.Get("client_id") != w.app.ClientID || asked.Get("scope") != "" {
		t.Errorf("GitHub is asked with %v", asked)
	}
	again := w.browse().begin("/")
	for _, name := range []string{"state", "code_challenge"} {
		if asked.Get(name) == again.Get(name) {
			t.Errorf("the %s is the same for two sign-ins", name)
		}
	}
}

// A session that somebody put into the browser is not taken up.
func TestSessionsAreNotFixed(t *testing.T) {
	w := newWorld(t, false)
	attacker := w.as("hubot")
	planted := attacker.cookie()
	victim := w.browse()
	u, _ := url.Parse(w.server.URL)
	victim.client.Jar.SetCookies(u, []*http.Cookie{{Name: "stagecoach", Value: planted, Path: "/"}})
	victim.signIn("octocat", "/")
	if victim.cookie() == planted {
		t.Fatal("the planted session became the victim's")
	}
	if got := attacker.get("/"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("the session that was replaced lives on: %d %s", got.StatusCode, textOf(got.body))
	}
	made := strings.Repeat("ab", 32)
	victim.client.Jar.SetCookies(u, []*http.Cookie{{Name: "stagecoach", Value: made, Path: "/"}})
	if got := victim.get("/"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("a made-up session: %d", got.StatusCode)
	}
	first := w.as("octocat")
	was := first.cookie()
	if first.signIn("octocat", "/"); first.cookie() == was {
		t.Error("a second sign-in keeps the session's ID")
	}
}

func TestSigningOutTakesTheFormsToken(t *testing.T) {
	w := newWorld(t, false)
	octocat, monalisa := w.as("octocat"), w.as("monalisa")
	token := func(b *visitor) string {
		_, after, _ := strings.Cut(b.page("/"), `name="token" value="`)
		value, _, _ := strings.Cut(after, `"`)
		return value
	}
	for name, form := range map[string]url.Values{"none": {}, "empty": {"token": {""}}, "wrong": {"token": {"x"}}, "of somebody else": {"token": {token(monalisa)}}, "in the address": nil} {
		path := "/logout"
		if form == nil {
			path, form = path+"?token="+token(monalisa), url.Values{}
		}
		if got := octocat.do(http.MethodPost, path, form); got.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
	if got := octocat.get("/logout"); got.StatusCode == http.StatusSeeOther {
		t.Error("a link signs people out")
	}
	octocat.page("/") // still signed in
	cookie := octocat.cookie()
	if got := octocat.do(http.MethodPost, "/logout", url.Values{"token": {token(octocat)}}); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/" {
		t.Fatalf("%d %s", got.StatusCode, got.Header.Get("Location"))
	}
	if octocat.cookie() != "" || octocat.get("/").StatusCode != http.StatusUnauthorized {
		t.Error("still signed in")
	}
	u, _ := url.Parse(w.server.URL)
	octocat.client.Jar.SetCookies(u, []*http.Cookie{{Name: "stagecoach", Value: cookie, Path: "/"}})
	if got := octocat.get("/"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("the cookie of before works after a sign-out: %d", got.StatusCode)
	}
	monalisa.page("/") // nobody else was signed out
}

// After a sign-in people get to pages of the dashboard, and nowhere else.
func TestSignInsLeadToPagesOfOurs(t *testing.T) {
	w := newWorld(t, false)
	for _, to := range []string{"/", "/r/acme/gitops", "/r/acme/gitops/promotions/prod.01.x?x=1", "/r/acme/.github", "/?q=acme%2Fg"} {
		if got := w.browse().signIn("octocat", to); got != to {
			t.Errorf("%s leads to %s", to, got)
		}
	}
	for _, to := range []string{
		"", "//evil.example", "///evil.example", "https://evil.example", "http:evil.example", `/\evil.example`, `\\evil.example`, "/%5cevil.example", "/r//evil.example",
		"/r/../../evil.example", "/r/..//evil.example", "/r/./x", "javascript:alert(1)", "data:text/html,x", "/\t/evil.example", "/r/a\r\nSet-Cookie: x=y", " //evil.example", "/.evil.example",
		"/@evil.example", "/logout", "/login?to=/", "/api/github/auth", "/r/acme/gitops#x", "/?x=//evil.example\n", "evil.example", "/r/acme/gitops/..",
	} {
		if got := w.browse().signIn("octocat", to); got != "/" {
			t.Errorf("%q leads to %q", to, got)
		}
	}
}

func TestSessionsEnd(t *testing.T) {
	w := newWorld(t, false)
	idle := w.as("octocat")
	w.clock.pass(59 * time.Minute)
	idle.page("/")
	w.clock.pass(59 * time.Minute)
	idle.page("/") // each use counts
	for range 7 {  // an open page does not
		w.clock.pass(9 * time.Minute)
		req, err := http.NewRequest(http.MethodGet, w.server.URL+"/", nil)
		must(t, err)
		req.Header.Set("X-Live", "1")
		resp, err := idle.client.Do(req)
		must(t, err)
		_ = resp.Body.Close()
	}
	if got := idle.get("/"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("after an hour without use: %d", got.StatusCode)
	}

	busy := w.as("octocat")
	for range 16 {
		w.clock.pass(29 * time.Minute)
		busy.page("/")
	}
	w.clock.pass(17 * time.Minute) // 8 h 1 min
	if got := busy.get("/"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("after eight hours of use: %d", got.StatusCode)
	}
	for name, k := range w.shelf.sessions {
		if k.keep <= 0 || k.keep > time.Hour {
			t.Errorf("the store keeps %s for %s", name, k.keep)
		}
	}
}

// What the person takes back on GitHub ends the session at the next question.
func TestRevokedTokensEndTheSession(t *testing.T) {
	w := newWorld(t, false)
	octocat := w.as("octocat")
	octocat.page("/r/acme/gitops")
	w.sim.RevokeAuthorization(w.app.ID, "octocat")
	w.clock.pass(3 * time.Minute)
	if got := octocat.get("/r/acme/gitops"); got.StatusCode != http.StatusUnauthorized || strings.Contains(got.body, "web 140bf12") {
		t.Errorf("%d %s", got.StatusCode, textOf(got.body))
	}
	if len(w.shelf.sessions) != 0 {
		t.Error("the session is kept")
	}
}

func TestWhatGitHubAnswersToASignIn(t *testing.T) {
	w := newWorld(t, false)
	for name, want := range map[string]string{
		"access_denied": "You did not let", "redirect_uri_mismatch": w.server.URL + "/api/github/auth", "<script>": "GitHub did not say who you are",
	} {
		b := w.browse()
		asked := b.begin("/")
		got := b.get("/api/github/auth?" + url.Values{"state": {asked.Get("state")}, "error": {name}, "error_description": {"<script>alert(1)</script>"}}.Encode())
		if got.StatusCode < 400 || !strings.Contains(got.body, want) || strings.Contains(got.body, "<script>") {
			t.Errorf("%s: %d %s", name, got.StatusCode, textOf(got.body))
		}
	}
}

// Who is not signed in cannot make the server ask GitHub without end.
func TestSignInsAreBounded(t *testing.T) {
	w := newWorld(t, false)
	b := w.browse()
	try := func() int {
		asked := b.begin("/")
		return b.get("/api/github/auth?" + url.Values{"state": {asked.Get("state")}, "code": {"x"}}.Encode()).StatusCode
	}
	for i := range 50 {
		if got := try(); got != http.StatusBadRequest {
			t.Fatalf("try %d: %d", i+1, got)
		}
	}
	if got := try(); got != http.StatusServiceUnavailable {
		t.Errorf("one more: %d", got)
	}
	w.clock.pass(time.Second)
	b.signIn("octocat", "/")
}
