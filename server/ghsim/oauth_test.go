package ghsim_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

const callback = "https://promote.example.com/back"

// flow is what an App knows of the web application flow.
type flow struct {
	*world
	id, secret string
}

func newFlow(w *world) flow {
	secret, err := w.AddClientSecret(w.app.ID)
	must(w.t, err)
	must(w.t, w.SetCallbacks(w.app.ID, callback, callback+"/two"))
	return flow{w, w.app.ClientID, secret}
}

// code is what a person's yes gives.
func (c flow) code(login string, more ...string) string {
	c.t.Helper()
	q := url.Values{"client_id": {c.id}, "redirect_uri": {callback}, "state": {"a state"}}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	to, err := c.Authorize(q, login)
	must(c.t, err)
	u, err := url.Parse(to)
	must(c.t, err)
	if u.Query().Get("state") != "a state" {
		c.t.Fatalf("the state is lost in %s", to)
	}
	return u.Query().Get("code")
}

// exchange asks for a token.
func (c flow) exchange(code string, more ...string) map[string]any {
	c.t.Helper()
	form := url.Values{"client_id": {c.id}, "client_secret": {c.secret}, "code": {code}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	req, err := http.NewRequest(http.MethodPost, c.URL()+"/login/oauth/access_token", strings.NewReader(form.Encode()))
	must(c.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := (&http.Client{Transport: c.conn}).Do(req)
	must(c.t, err)
	defer func() { _ = resp.Body.Close() }()
	out := map[string]any{}
	must(c.t, json.NewDecoder(resp.Body).Decode(&out))
	if resp.StatusCode != http.StatusOK {
		c.t.Errorf("status %d: GitHub answers 200 with the error in the body", resp.StatusCode)
	}
	return out
}

// user is go-github with a person's token for the App.
func (c flow) user(login string) *github.Client {
	c.t.Helper()
	token, _ := c.exchange(c.code(login))["access_token"].(string)
	if !strings.HasPrefix(token, "ghu_") {
		c.t.Fatalf("the token is %q", token)
	}
	return c.client(c.conn).WithAuthToken(token)
}

func TestCodesAreExchangedOnce(t *testing.T) {
	c := newFlow(newWorld(t))
	verifier := strings.Repeat("v", 43)
	sum := sha256.Sum256([]byte(verifier))
	pkce := []string{"code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method", "S256"}
	for name, try := range map[string]struct {
		code string
		more []string
		want string
	}{
		"wrong secret":      {c.code("octocat"), []string{"client_secret", "x"}, "incorrect_client_credentials"},
		"wrong client":      {c.code("octocat"), []string{"client_id", "x"}, "incorrect_client_credentials"},
		"no such code":      {"x", nil, "bad_verification_code"},
		"no verifier":       {c.code("octocat", pkce...), nil, "bad_verification_code"},
		"wrong verifier":    {c.code("octocat", pkce...), []string{"code_verifier", "x"}, "bad_verification_code"},
		"another callback":  {c.code("octocat"), []string{"redirect_uri", callback + "/two"}, "redirect_uri_mismatch"},
		"all is well":       {c.code("octocat", pkce...), []string{"code_verifier", verifier, "redirect_uri", callback}, ""},
		"well without PKCE": {c.code("octocat"), nil, ""},
	} {
		got := c.exchange(try.code, try.more...)
		if name, _ := got["error"].(string); name != try.want || (got["access_token"] == nil) != (try.want != "") {
			t.Errorf("%s: got %v, want the error %q", name, got, try.want)
		}
		if again := c.exchange(try.code); again["access_token"] != nil && try.want != "incorrect_client_credentials" {
			t.Errorf("%s: the code works a second time", name)
		}
	}
}

func TestTheFlowLeadsToRegisteredPlacesAlone(t *testing.T) {
	c := newFlow(newWorld(t))
	for name, try := range map[string]struct {
		set  []string
		want string
	}{
		"another place":     {[]string{"redirect_uri", "https://evil.example.com/"}, callback + "?error=redirect_uri_mismatch"},
		"a longer path":     {[]string{"redirect_uri", callback + "/three"}, callback + "?error=redirect_uri_mismatch"},
		"a plain challenge": {[]string{"code_challenge", "x", "code_challenge_method", "plain"}, callback + "?error=invalid_request"},
	} {
		q := url.Values{"client_id": {c.id}}
		q.Set(try.set[0], try.set[1])
		if len(try.set) > 2 {
			q.Set(try.set[2], try.set[3])
		}
		to, err := c.Authorize(q, "octocat")
		must(t, err)
		if !strings.HasPrefix(to, try.want) || strings.Contains(to, "code=") {
			t.Errorf("%s leads to %s", name, to)
		}
	}
	if to, err := c.Authorize(url.Values{"client_id": {"x"}}, "octocat"); err == nil {
		t.Errorf("an unknown client leads to %s", to)
	}
}

// A person's token for an App sees what both may see.
func TestUserTokensSeeWhatBothMaySee(t *testing.T) {
	w := newWorld(t)
	c := newFlow(w)
	outside, err := w.CreateRepo("acme", "outside", ghsim.RepoOptions{Private: true, Files: map[string]string{"a": "b"}})
	must(t, err)
	must(t, w.SetPermission(outside, "octocat", "admin"))
	public, err := w.CreateRepo("acme", "public", ghsim.RepoOptions{Files: map[string]string{"a": "b"}})
	must(t, err)
	secret, err := w.CreateRepo("acme", "secret", ghsim.RepoOptions{Private: true, Files: map[string]string{"a": "b"}})
	must(t, err)
	must(t, w.AddToInstallation(w.inst, public, secret))
	must(t, w.SetPermission(secret, "octocat", "read"))
	w.AddUser("stranger")
	for login, want := range map[string]string{"octocat": "outside=404 public=200 secret=200", "stranger": "outside=404 public=200 secret=404"} {
		rest, got := c.user(login), ""
		for _, name := range []string{"outside", "public", "secret"} {
			_, resp, _ := rest.Repositories.Get(t.Context(), "acme", name)
			got += " " + name + "=" + strings.Fields(resp.Status)[0]
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s sees%s, want %s", login, got, want)
		}
	}
	insts, _, err := c.user("stranger").Apps.ListUserInstallations(t.Context(), nil)
	if err != nil || len(insts) != 0 {
		t.Errorf("a stranger has the installations %v (%v): what everybody may read does not count", insts, err)
	}
	rest := c.user("octocat")
	repos, _, err := rest.Apps.ListUserRepos(t.Context(), w.inst, &github.ListOptions{PerPage: 1, Page: 2})
	must(t, err)
	if repos.GetTotalCount() != 2 || len(repos.Repositories) != 1 || repos.Repositories[0].GetName() != "secret" {
		t.Errorf("the second page is %v", repos)
	}
	if _, resp, err := rest.Issues.Create(t.Context(), "acme", "secret", &github.IssueRequest{Title: github.String("x")}); err != nil {
		t.Errorf("the App may write issues, and a reader may open one: %v", resp.Status)
	}
	must(t, w.SetInstallationPermissions(w.inst, map[string]string{"contents": "read"}))
	if _, _, err := rest.Issues.Create(t.Context(), "acme", "secret", &github.IssueRequest{Title: github.String("x")}); err == nil {
		t.Error("a person's token for an App may more than the App")
	}
	must(t, w.Suspend(w.inst))
	if _, resp, _ := rest.Repositories.Get(t.Context(), "acme", "secret"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a suspended App still shows a private repository: %s", resp.Status)
	}
}

func TestUserTokensEnd(t *testing.T) {
	w := newWorld(t)
	c := newFlow(w)
	rest := c.user("octocat")
	me, _, err := rest.Users.Get(t.Context(), "")
	if err != nil || me.GetLogin() != "octocat" {
		t.Fatalf("they are %v, %v", me.GetLogin(), err)
	}
	w.RevokeAuthorization(w.app.ID, "octocat")
	if _, resp, _ := rest.Users.Get(t.Context(), ""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("revoked: %s", resp.Status)
	}
	rest = c.user("octocat")
	w.auth.pass(8 * time.Hour)
	if _, resp, _ := rest.Users.Get(t.Context(), ""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("after eight hours: %s", resp.Status)
	}
}

func TestOnlyUserTokensListInstallations(t *testing.T) {
	w := newWorld(t)
	for who, rest := range map[string]*github.Client{"a person by themselves": w.client(w.conn).WithAuthToken(w.AddUser("octocat")), "an installation": w.rest} {
		if _, resp, _ := rest.Apps.ListUserInstallations(context.Background(), nil); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", who, resp.Status)
		}
	}
}

// driveUser calls what is about the person whose token it is.
func driveUser(w *world) error {
	ctx, rest := context.Background(), newFlow(w).user("octocat")
	return run(
		func() error { _, _, err := rest.Users.Get(ctx, ""); return err },
		func() error { _, _, err := rest.Apps.ListUserInstallations(ctx, nil); return err },
		func() error { _, _, err := rest.Apps.ListUserRepos(ctx, w.inst, nil); return err },
	)
}
