package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim/page"
	"github.com/stagecoach-app/stagecoach/server/servertest"
	"github.com/stagecoach-app/stagecoach/server/servertest/browser"
)

// Somebody signs in, sees a promotion wait, asks for another one by a comment on GitHub,
// and sees it go on without touching the page.
func TestTheDashboardInABrowser(t *testing.T) {
	t.Parallel()
	chromium := browser.Start(t)
	w := servertest.New(t, servertest.Files())
	w.Sim.HandlePages(page.New(w.Sim, page.Options{As: "octocat"}))
	at := w.Dashboard()
	w.StartServer()
	w.InstallApp()
	tab := chromium.Page()
	tab.Size(1280, 900, false)

	tab.Go(at + "/r/acme/gitops")
	if text := tab.Text(); !strings.Contains(text, "Sign in with GitHub") || strings.Contains(text, "gitops") {
		t.Fatalf("without a session: %s", text)
	}
	picture(t, tab, "sign-in")
	tab.Press(".go")
	tab.Press(`button[value="yes"]`)
	tab.Until("the page is live", `/^(Live|Up to date)/.test(document.getElementById("live").innerText)`)
	if tab.Address() != at+"/r/acme/gitops" {
		t.Errorf("the sign-in leads to %s", tab.Address())
	}
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	tab.Until("staging waits for its merge", merge(w.Open()[0].Number))
	picture(t, tab, "pipeline")
	w.StoryToStaging()
	tab.Until("staging has it", `[...document.querySelectorAll("#stages tbody tr")][1].innerText.includes("verified")`)
	// What somebody is at stays as it is while the page changes.
	tab.Eval(`document.querySelector("#stages a").focus()`, nil)
	issue, _ := w.TrackingIssue()
	if _, err := w.Sim.As("octocat").Comment(w.Repo, issue.Number, "/promote prod"); err != nil {
		t.Fatal(err)
	}
	w.Until("prod's pull request is open", func() bool { return len(w.Open()) == 1 })
	tab.Until("prod waits for its merge", merge(w.Open()[0].Number))
	var focus string
	if tab.Eval("document.activeElement.closest('[id]').id", &focus); focus != "stages" {
		t.Errorf("the focus went to %q", focus)
	}
	picture(t, tab, "pipeline-prod")
	tab.Press("#s-way h3 a")
	picture(t, tab, "promotion")
	tab.Go(at + "/")
	picture(t, tab, "repositories")
}

// merge is true on a page that says what waits for the merge of a pull request.
func merge(number int) string {
	return fmt.Sprintf(`document.getElementById("s-needs").innerText.includes("waits for the merge of #%d")`, number)
}

// picture keeps what the tab shows, where STAGECOACH_PICTURES names a folder: in light
// and dark, wide and on a phone.
func picture(t *testing.T, tab *browser.Page, name string) {
	t.Helper()
	dir := os.Getenv("STAGECOACH_PICTURES")
	if dir == "" {
		return
	}
	for _, look := range []struct {
		suffix string
		width  int
		dark   bool
	}{{"-light", 1280, false}, {"-dark", 1280, true}, {"-phone", 360, false}, {"-phone-dark", 360, true}} {
		tab.Size(look.width, 800, look.dark)
		if err := os.WriteFile(filepath.Join(dir, name+look.suffix+".png"), tab.Picture(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tab.Size(1280, 900, false)
}
