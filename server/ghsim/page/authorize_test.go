package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Somebody says no, then yes, and is not asked again.
func TestAuthorize(t *testing.T) {
	w := newWorld(t)
	const back = "https://promote.example.com/back"
	must(t, w.SetCallbacks(w.app.ID, back))
	w.client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		if req.URL.Host == "promote.example.com" {
			return http.ErrUseLastResponse
		}
		return nil
	}
	at := "/login/oauth/authorize?" + url.Values{"client_id": {w.app.ClientID}, "redirect_uri": {back}, "state": {"a&b"}}.Encode()
	status, page := w.get(at)
	if status != http.StatusOK || !strings.Contains(page, "wants to know that you are <strong>octocat</strong>") {
		t.Fatalf("%d %s", status, page)
	}
	query := strings.TrimPrefix(at, "/login/oauth/authorize?")
	leads := func(answer string) url.Values {
		t.Helper()
		resp, err := w.client.PostForm(w.server.URL+"/login/oauth/authorize", url.Values{"query": {query}, "answer": {answer}, "csrf": {csrf.FindStringSubmatch(page)[1]}})
		must(t, err)
		_ = resp.Body.Close()
		to, err := url.Parse(resp.Header.Get("Location"))
		must(t, err)
		if to.Host+to.Path != "promote.example.com/back" || to.Query().Get("state") != "a&b" {
			t.Errorf("it leads to %s", to)
		}
		return to.Query()
	}
	if got := leads("no"); got.Get("error") != "access_denied" || got.Get("code") != "" {
		t.Errorf("no: %v", got)
	}
	if got := leads("yes"); got.Get("code") == "" {
		t.Errorf("yes: %v", got)
	}
	resp, err := w.client.Get(w.server.URL + at)
	must(t, err)
	_ = resp.Body.Close()
	if !strings.Contains(resp.Header.Get("Location"), "code=") {
		t.Errorf("asked again: %d %s", resp.StatusCode, resp.Header.Get("Location"))
	}
}
