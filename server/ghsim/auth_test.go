package ghsim_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestAppJWT(t *testing.T) {
	w := newWorld(t)
	key, err := sharedKey()
	must(t, err)
	other, err := rsa.GenerateKey(rand.Reader, 1024)
	must(t, err)
	now := w.auth.read()
	claims := func(iss string, iat, exp time.Duration) jwt.MapClaims {
		return jwt.MapClaims{"iss": iss, "iat": now.Add(iat).Unix(), "exp": now.Add(exp).Unix()}
	}
	id := strconv.FormatInt(w.app.ID, 10)
	sign := func(key *rsa.PrivateKey, c jwt.MapClaims) string {
		s, err := jwt.NewWithClaims(jwt.SigningMethodRS256, c).SignedString(key)
		must(t, err)
		return s
	}
	hmac, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims(id, 0, time.Minute)).SignedString([]byte("x"))
	must(t, err)
	for _, c := range []struct {
		name, jwt, want string
		status          int
	}{
		{"good", sign(key, claims(id, -30*time.Second, 9*time.Minute)), "", 200},
		{"issuer as client ID", sign(key, claims(w.app.ClientID, 0, time.Minute)), "", 200},
		{"issuer as number", sign(key, jwt.MapClaims{"iss": w.app.ID, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}), "", 200},
		{"other key", sign(other, claims(id, 0, time.Minute)), "A JSON web token could not be decoded", 401},
		{"HMAC", hmac, "A JSON web token could not be decoded", 401},
		{"unknown app", sign(key, claims("12", 0, time.Minute)), "Integration not found", 404},
		{"lives too long", sign(key, claims(id, 0, 20*time.Minute)), "'Expiration time' claim ('exp') is too far in the future", 401},
		{"expired", sign(key, claims(id, -time.Hour, -5*time.Minute)), "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires", 401},
		{"no exp", sign(key, jwt.MapClaims{"iss": id, "iat": now.Unix()}), "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires", 401},
		{"issued in the future", sign(key, claims(id, 5*time.Minute, 9*time.Minute)), "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued", 401},
		{"installation token instead", w.token(), "A JSON web token could not be decoded", 401},
		{"nonsense", "nonsense", "Bad credentials", 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, _, body := w.send("GET", "/api/v3/app", "", "", "Authorization", "Bearer "+c.jwt)
			if message, _ := body["message"].(string); status != c.status || message != c.want {
				t.Errorf("%d %q, want %d %q", status, message, c.status, c.want)
			}
		})
	}
}

func TestInstallationTokens(t *testing.T) {
	w := newWorld(t)
	token := w.token()
	if !regexp.MustCompile(`^ghs_\d+_[\w-]+\.[\w-]+\.[\w-]+$`).MatchString(token) || len(token) < 480 || len(token) > 560 {
		t.Errorf("token of %d characters: %s", len(token), token)
	}
	get := func(token string) int {
		status, _, _ := w.send("GET", "/api/v3/repos/acme/gitops", token, "")
		return status
	}
	if got := get(token); got != 200 {
		t.Fatalf("fresh token: %d", got)
	}
	w.auth.pass(59 * time.Minute)
	if got := get(token); got != 200 {
		t.Errorf("after 59 minutes: %d", got)
	}
	w.auth.pass(2 * time.Minute)
	if got := get(token); got != 401 {
		t.Errorf("after 61 minutes: %d", got)
	}
}

func TestTokenStates(t *testing.T) {
	w := newWorld(t)
	token := w.token()
	get := func() int {
		status, _, _ := w.send("GET", "/api/v3/installation/repositories", token, "")
		return status
	}
	must(t, w.Suspend(w.inst))
	if got := get(); got != http.StatusForbidden {
		t.Errorf("suspended: %d", got)
	}
	must(t, w.Unsuspend(w.inst))
	if got := get(); got != http.StatusOK {
		t.Errorf("unsuspended: %d", got)
	}
	must(t, w.Uninstall(w.inst))
	if got := get(); got != http.StatusUnauthorized {
		t.Errorf("uninstalled: %d", got)
	}
	_, _, err := w.jwt.Apps.CreateInstallationToken(context.Background(), w.inst, nil)
	if got := status(err); got != http.StatusNotFound {
		t.Errorf("token of an uninstalled app: %v", err)
	}
}

// status is that of a go-github error, 0 for none.
func status(err error) int {
	var failed *github.ErrorResponse
	if errors.As(err, &failed) {
		return failed.Response.StatusCode
	}
	return 0
}

func TestNarrowedTokens(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	other, err := w.CreateRepo("acme", "other", ghsim.RepoOptions{Private: true})
	must(t, err)
	must(t, w.AddToInstallation(w.inst, other))
	read := "read"
	token, _, err := w.jwt.Apps.CreateInstallationToken(ctx, w.inst, &github.InstallationTokenOptions{
		Repositories: []string{"other"}, Permissions: &github.InstallationPermissions{Issues: &read},
	})
	must(t, err)
	for path, want := range map[string]int{"/repos/acme/other/issues": 200, "/repos/acme/other/pulls": 403, "/repos/acme/gitops/issues": 404} {
		if got, _, _ := w.send("GET", "/api/v3"+path, token.GetToken(), ""); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	for name, in := range map[string]*github.InstallationTokenOptions{
		"more than granted":  {Permissions: &github.InstallationPermissions{Actions: &read}},
		"unknown repository": {Repositories: []string{"nothing"}},
	} {
		if _, _, err := w.jwt.Apps.CreateInstallationToken(ctx, w.inst, in); status(err) != 422 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPermissions(t *testing.T) {
	w := newWorld(t)
	n := w.pullRequest("next")
	issue, err := w.As("octocat").CreateIssue(w.repo, "x", "y")
	must(t, err)
	must(t, w.SetInstallationPermissions(w.inst, map[string]string{"contents": "read", "pull_requests": "write"}))
	must(t, w.SetPermission(w.repo, "hubot", "read"))
	public, err := w.CreateRepo("octo-org", "public", ghsim.RepoOptions{})
	must(t, err)
	_ = public
	app, reader, stranger := w.token(), w.AddUser("hubot"), w.AddUser("monalisa")
	at := func(format string, n int) string {
		return "/api/v3/repos/acme/gitops" + strings.Replace(format, "N", strconv.Itoa(n), 1)
	}
	for _, c := range []struct {
		name, method, path, token, body string
		want                            int
		needs                           string
	}{
		{"comment on a pull request", "POST", at("/issues/N/comments", n), app, `{"body":"x"}`, 201, ""},
		{"comment on an issue", "POST", at("/issues/N/comments", issue), app, `{"body":"x"}`, 403, "issues=write"},
		{"merge without contents", "PUT", at("/pulls/N/merge", n), app, `{}`, 403, "contents=write"},
		{"check run without checks", "POST", at("/check-runs", 0), app, `{"name":"x"}`, 403, "checks=write"},
		{"public repository of others", "GET", "/api/v3/repos/octo-org/public/issues", app, "", 200, ""},
		{"write to a public repository of others", "POST", "/api/v3/repos/octo-org/public/issues", app, `{"title":"x"}`, 403, "issues=write"},
		{"reader comments", "POST", at("/issues/N/comments", issue), reader, `{"body":"x"}`, 201, ""},
		{"reader merges", "PUT", at("/pulls/N/merge", n), reader, `{}`, 403, ""},
		{"reader edits an issue of another", "PATCH", at("/issues/N", issue), reader, `{"body":"x"}`, 403, ""},
		{"person makes a check run", "POST", at("/check-runs", 0), reader, `{"name":"x"}`, 403, ""},
		{"stranger to a private repository", "GET", at("", 0), stranger, "", 404, ""},
		{"nobody to a private repository", "GET", at("", 0), "", "", 404, ""},
		{"nobody to a public one", "GET", "/api/v3/repos/octo-org/public", "", "", 200, ""},
		{"nobody writes", "POST", "/api/v3/repos/octo-org/public/issues", "", `{"title":"x"}`, 401, ""},
		{"without the prefix", "GET", "/repos/octo-org/public", "", "", 200, ""},
		{"no such route", "GET", "/api/v3/nothing", app, "", 404, ""},
		{"no such method", "DELETE", "/api/graphql", app, "", 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(c.path, "/repos/") {
				w.judge.mute()
			}
			got, header, body := w.send(c.method, c.path, c.token, c.body)
			if got != c.want || header.Get("X-Accepted-GitHub-Permissions") != c.needs {
				t.Errorf("%d %v, accepted %q; want %d %q", got, body["message"], header.Get("X-Accepted-GitHub-Permissions"), c.want, c.needs)
			}
			if got == 403 && c.token == app && body["message"] != "Resource not accessible by integration" {
				t.Errorf("message %v", body["message"])
			}
		})
	}
}

func TestPermitsReadsAlternatives(t *testing.T) {
	granted := map[string]string{"issues": "write", "contents": "read"}
	for requirement, want := range map[string]bool{
		"": true, "issues=write": true, "issues=read": true, "contents=write": false, "pull_requests=write; issues=write": true,
		"issues=write,contents=write": false, "issues=write,contents=read": true, "checks=read": false,
	} {
		if got := ghsim.Permits(granted, requirement); got != want {
			t.Errorf("%q: %v", requirement, got)
		}
	}
}

func TestCollaboratorPermission(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	public, err := w.CreateRepo("acme", "public", ghsim.RepoOptions{})
	must(t, err)
	for role, coarse := range map[string]string{"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none"} {
		must(t, w.SetPermission(w.repo, "hubot", role))
		_, _, got := w.send("GET", "/api/v3/repos/acme/gitops/collaborators/hubot/permission", w.token(), "")
		if got["permission"] != coarse || got["role_name"] != role {
			t.Errorf("%s: %v %v", role, got["permission"], got["role_name"])
		}
	}
	got, _, err := w.rest.Repositories.GetPermissionLevel(ctx, "acme", public.Name, "monalisa")
	must(t, err)
	if got.GetPermission() != "read" {
		t.Errorf("a stranger on a public repository: %s", got.GetPermission())
	}
	if _, _, err := w.rest.Repositories.GetPermissionLevel(ctx, "acme", "gitops", "nobody"); status(err) != 404 {
		t.Errorf("nobody: %v", err)
	}
}

func TestRegisteringNeedsThePermissionsOfEvents(t *testing.T) {
	w := newWorld(t)
	key, err := sharedKey()
	must(t, err)
	for name, app := range map[string]ghsim.App{
		"event without permission": {Slug: "a", Events: []string{"push"}},
		"unknown event":            {Slug: "b", Events: []string{"pushes"}},
		"taken slug":               {Slug: "stagecoach"},
	} {
		app.PrivateKey = key
		if _, err := w.RegisterApp(app); err == nil {
			t.Errorf("%s: registered", name)
		}
	}
}
