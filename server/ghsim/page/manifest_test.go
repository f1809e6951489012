package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A form of another site asks for an App; the person looks at it, renames it and agrees.
func TestManifest(t *testing.T) {
	w := newWorld(t)
	w.AddOrgMember("acme", "octocat", true)
	w.client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		if req.URL.Host == "127.0.0.1:9" {
			return http.ErrUseLastResponse
		}
		return nil
	}
	const raw = `{"name":"Coach","url":"https://example.com","redirect_url":"http://127.0.0.1:9/created","hook_attributes":{"url":"https://example.com/hook"},` +
		`"default_permissions":{"contents":"write"},"default_events":["push"]}`
	ask := func(path, raw string) (int, string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodPost, w.server.URL+path, strings.NewReader(url.Values{"manifest": {raw}}.Encode()))
		must(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		return w.read(w.client.Do(req))
	}
	if status, page := ask("/settings/apps/new?state=s", `{"name":"Coach"}`); status != http.StatusUnprocessableEntity || !strings.Contains(page, "wasn&#39;t supplied") {
		t.Errorf("a manifest without url: %d %s", status, page)
	}
	status, page := ask("/organizations/acme/settings/apps/new?state=s%26t", raw)
	if status != http.StatusOK || !strings.Contains(page, "Create GitHub App for acme") || !strings.Contains(page, "contents: write") {
		t.Fatalf("%d %s", status, page)
	}
	resp, err := w.client.PostForm(w.server.URL+"/-/apps", url.Values{
		"manifest": {raw}, "state": {"s&t"}, "owner": {"acme"}, "name": {"Coach of acme"}, "csrf": {csrf.FindStringSubmatch(page)[1]},
	})
	must(t, err)
	_ = resp.Body.Close()
	to, err := url.Parse(resp.Header.Get("Location"))
	must(t, err)
	if to.Host+to.Path != "127.0.0.1:9/created" || to.Query().Get("state") != "s&t" || to.Query().Get("code") == "" {
		t.Errorf("%d, it leads to %s", resp.StatusCode, to)
	}
	if status, _ := w.get("/apps/coach-of-acme"); status != http.StatusOK {
		t.Errorf("the App's page: %d", status)
	}
}
