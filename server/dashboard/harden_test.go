package dashboard_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/dashboard"
)

// Every answer, whatever it is, holds browsers to the same rules.
func TestHeaders(t *testing.T) {
	for name, https := range map[string]bool{"http": false, "https": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, https)
			octocat := w.as("octocat")
			answers := map[string]answer{"logout": octocat.do(http.MethodPost, "/logout", nil), "login": w.browse().get("/login"), "callback": w.browse().get("/api/github/auth")}
			for _, path := range everyPath {
				if !strings.HasSuffix(path, "/live") {
					answers[path], answers["out "+path] = octocat.get(path), w.browse().get(path)
				}
			}
			for path, got := range answers {
				for header, want := range map[string]string{
					"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "private, no-store",
					"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
				} {
					if got.Header.Get(header) != want {
						t.Errorf("%s: %s is %q", path, header, got.Header.Get(header))
					}
				}
				policy := got.Header.Get("Content-Security-Policy")
				for _, rule := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
					if !strings.Contains(policy, rule) {
						t.Errorf("%s: the policy lacks %s", path, rule)
					}
				}
				if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
					t.Errorf("%s: the policy is %s", path, policy)
				}
				if hsts := got.Header.Get("Strict-Transport-Security"); (hsts == "max-age=31536000") != https {
					t.Errorf("%s: %s says %q of https", path, name, hsts)
				}
				if got.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s lets other sites read it", path)
				}
			}
		})
	}
}

func TestCookies(t *testing.T) {
	for name, https := range map[string]bool{"http": false, "https": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, https)
			b := w.browse()
			begun := b.get("/login")
			q := b.begin("/")
			in := b.get(w.back(q, "octocat"))
			for what, set := range map[string][]string{"sign-in": begun.Header["Set-Cookie"], "session": in.Header["Set-Cookie"]} {
				for _, cookie := range set {
					for _, must := range []string{"Path=/", "HttpOnly", "SameSite=Lax"} {
						if !strings.Contains(cookie, must) {
							t.Errorf("%s: %s lacks %s", what, cookie, must)
						}
					}
					if strings.HasPrefix(cookie, "__Host-") != https || strings.Contains(cookie, "; Secure") != https || strings.Contains(cookie, "Domain") {
						t.Errorf("%s by %s: %s", what, name, cookie)
					}
				}
				if len(set) == 0 {
					t.Errorf("%s: no cookie", what)
				}
			}
		})
	}
}

// Files are for everybody, and may be kept: their names change with them.
func TestFiles(t *testing.T) {
	w := newWorld(t, false)
	b := w.browse()
	links := regexp.MustCompile(`(?:href|src)="(/-/[^"]+)"`).FindAllStringSubmatch(b.get("/").body, -1)
	if len(links) != 3 {
		t.Fatalf("the page loads %v", links)
	}
	for _, link := range links {
		got := b.get(link[1])
		if got.StatusCode != http.StatusOK || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") || got.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %d %v", link[1], got.StatusCode, got.Header)
		}
	}
	for _, path := range []string{"/-/style.css", "/-/..%2ftemplates%2fframe.html", "/-/"} {
		if got := b.get(path); got.StatusCode == http.StatusOK {
			t.Errorf("%s is served", path)
		}
	}
}

var markup = regexp.MustCompile(`(?i)<script(?: src="/-/live\.[0-9a-f]+\.js" defer)?>|<[a-z][^>]*\son[a-z]+=|(?:href|src|action|xlink:href)="\s*(?:javascript|data):|<iframe|<img|<style|<object|<embed|<base|<link [^>]*evil|<meta [^>]*refresh`)

// Whatever stands in a field that others write to, it is text on every page.
func TestTextsOfOthersAreText(t *testing.T) {
	w := newWorld(t, false)
	w.asides = []dashboard.Aside{{Repo: w.repo.ID, Type: nasty, GUID: nasty, Reason: nasty, At: noon}}
	w.shelf.put(hostile(fixture(w.repo, w.inst), nasty))
	octocat := w.as("octocat")
	paths := []string{"/", "/?q=%3Cscript%3Ealert(1)%3C/script%3E", "/r/acme/gitops"}
	for _, p := range fixture(w.repo, w.inst).Pipelines["default"].Promotions {
		paths = append(paths, "/r/acme/gitops/promotions/"+p.Name)
	}
	for _, path := range paths {
		page := octocat.page(path)
		for _, found := range markup.FindAllString(page, -1) {
			if !strings.HasPrefix(found, `<script src="/-/live.`) {
				t.Errorf("%s holds %s", path, found)
			}
		}
		if strings.Count(page, "<main") != 1 || strings.Count(page, "</main>") != 1 || strings.Count(page, "<svg") != strings.Count(page, "</svg>") {
			t.Errorf("%s: a text left its place", path)
		}
		if strings.Contains(page, "ZgotmplZ") || strings.ContainsAny(page, "\x00") {
			t.Errorf("%s: a template put a value where it may not stand", path)
		}
		if strings.HasPrefix(path, "/r/") && !strings.Contains(page, "alert(1)") {
			t.Errorf("%s does not show the text", path)
		}
	}
	for _, path := range []string{"/r/acme/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/%3Cscript%3E", "/r/acme/gitops/promotions/%3Cscript%3E"} {
		if got := octocat.get(path); markup.MatchString(strings.ReplaceAll(got.body, `<script src="/-/live.`, "")) || strings.Contains(got.body, "<script>") {
			t.Errorf("%s: %s", path, got.body)
		}
	}
}

// No page, header or log tells a secret, and what is kept tells nothing at all.
func TestSecretsStaySecret(t *testing.T) {
	w := newWorld(t, false)
	octocat := w.as("octocat")
	token := regexp.MustCompile(`ghu_[0-9a-f]+`)
	var seen strings.Builder
	for _, path := range everyPath {
		if !strings.HasSuffix(path, "/live") {
			got := octocat.get(path)
			seen.WriteString(got.body)
			_ = got.Header.Write(&seen)
		}
	}
	b := w.browse()
	asked := b.begin("/")
	code := w.back(asked, "octocat")
	seen.WriteString(b.get(code).body)
	for what, text := range map[string]string{"the answers": seen.String(), "the log": w.logged.text()} {
		if token.MatchString(text) || strings.Contains(text, w.secret) || strings.Contains(text, octocat.cookie()) {
			t.Errorf("%s hold a secret: %s", what, text)
		}
	}
	if !strings.Contains(w.logged.text(), "octocat") {
		t.Error("the log does not say who signed in")
	}
	if len(w.shelf.sessions) != 2 {
		t.Fatalf("%d sessions", len(w.shelf.sessions))
	}
	for name, k := range w.shelf.sessions {
		if kept := name + string(k.value); strings.Contains(kept, octocat.cookie()) || strings.Contains(kept, "octocat") || token.MatchString(kept) {
			t.Errorf("the store holds %q", kept)
		}
	}
}

func TestOff(t *testing.T) {
	opts := dashboard.Options{PublicURL: "https://promote.example.com"}
	off := dashboard.Off(opts.Missing(), "https://github.com")
	get := func(path string) *httptest.ResponseRecorder {
		out := httptest.NewRecorder()
		off.ServeHTTP(out, httptest.NewRequest(http.MethodGet, path, nil))
		return out
	}
	page := get("/")
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "GITHUB_OAUTH_CLIENT_ID") || !strings.Contains(page.Body.String(), "GITHUB_OAUTH_CLIENT_SECRET") ||
		strings.Contains(page.Body.String(), "STAGECOACH_PUBLIC_URL") || page.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("%d %s", page.Code, page.Body)
	}
	for _, path := range []string{"/login", "/api/github/auth", "/logout", "/r/acme/gitops", "/x"} {
		if got := get(path); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d while it is off", path, got.Code)
		}
	}
	if _, err := dashboard.New(opts); err == nil || !strings.Contains(err.Error(), "GITHUB_OAUTH_CLIENT_ID and GITHUB_OAUTH_CLIENT_SECRET") {
		t.Errorf("%v", err)
	}
}
