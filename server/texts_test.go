package server_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim/page"
	"github.com/stagecoach-app/stagecoach/server/servertest"
	"github.com/stagecoach-app/stagecoach/server/servertest/browser"
)

// misshapen lists, in a browser, what keeps a text from being read or lets a stranger's
// words do more than stand there: a page that scrolls sideways, pictures and links that
// lead out of GitHub, scripts.
const misshapen = `(() => {
  const out = [];
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) out.push("it scrolls sideways by " + wide + " pixels");
  for (const img of document.images) if (!img.src.startsWith(location.origin) && !img.src.startsWith("data:")) out.push("a picture from " + img.src);
  for (const a of document.links) if (a.origin !== location.origin && !a.href.startsWith("https://github.com/")) out.push("a link to " + a.href);
  for (const s of document.querySelectorAll("main script, main iframe, main form form")) out.push("a " + s.tagName);
  return out.join("; ");
})()`

// looksOf are how a text is looked at: wide and on a phone, light and dark.
var looksOf = []struct {
	name  string
	width int
	dark  bool
}{{"light", 1100, false}, {"dark", 1100, true}, {"phone", 360, false}, {"phone-dark", 360, true}}

// TestEveryTextLooksRight shows every text that the app writes on GitHub in a browser, as
// GitHub renders it: all in one issue or, with STAGECOACH_PICTURES=DIR, each in its own,
// of which DIR gets pictures.
func TestEveryTextLooksRight(t *testing.T) {
	t.Parallel()
	chromium := browser.Start(t)
	w := servertest.New(t, servertest.Files())
	w.Sim.HandlePages(page.New(w.Sim, page.Options{As: "octocat"}))
	texts := goldenTexts(t, w.Sim.URL())
	octocat, tab, pictures := w.Sim.As("octocat"), chromium.Page(), os.Getenv("STAGECOACH_PICTURES") != ""
	number := 0
	var err error
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		if i == 0 || pictures {
			number, err = octocat.CreateIssue(w.Repo, name, texts[name])
		} else {
			_, err = octocat.Comment(w.Repo, number, texts[name])
		}
		if err != nil {
			t.Fatal(err)
		}
		if pictures || i == len(texts)-1 {
			lookAtPage(t, tab, fmt.Sprintf("%s/acme/gitops/issues/%d", w.Sim.URL(), number), name)
		}
	}
}

// goldenTexts are the texts that promotion/ledger holds as they should be, by name, with
// links that stay here.
func goldenTexts(t *testing.T, web string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../promotion/ledger/testdata/*.md")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d texts (%v)", len(paths), err)
	}
	out := map[string]string{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(path), ".md")] = strings.ReplaceAll(string(raw), "https://github.com/", web+"/")
	}
	return out
}

// lookAtPage judges a page in every look, and returns what it says.
func lookAtPage(t *testing.T, tab *browser.Page, address, name string) (text string) {
	t.Helper()
	for _, look := range looksOf {
		tab.Size(look.width, 800, look.dark)
		tab.Go(address)
		var bad string
		if tab.Eval(misshapen, &bad); bad != "" {
			t.Errorf("%s, %s: %s", name, look.name, bad)
		}
		keepPicture(t, tab, name+"-"+look.name)
	}
	return tab.Text()
}

// inDocs are the pictures that the docs show, by what a picture is called otherwise.
var inDocs = map[string]string{"plan-held-light": "plan", "config-check-light": "config-check"}

// keepPicture keeps what the tab shows where STAGECOACH_PICTURES names a folder.
func keepPicture(t *testing.T, tab *browser.Page, name string) {
	t.Helper()
	dir := os.Getenv("STAGECOACH_PICTURES")
	if dir == "" {
		return
	}
	if filepath.Base(dir) == "images" {
		if name = inDocs[name]; name == "" {
			return
		}
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), tab.Picture(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestThePagesOfAPromotion looks at what a promotion leaves on GitHub. With
// STAGECOACH_PICTURES=$PWD/docs/images this and the test above make pictures of the docs anew.
func TestThePagesOfAPromotion(t *testing.T) {
	t.Parallel()
	chromium := browser.Start(t)
	w := opened(t)
	w.Sim.HandlePages(page.New(w.Sim, page.Options{As: "octocat"}))
	w.Settle()
	pull := w.Open()[0].Number
	ask(t, w, "octocat", pull, "What would the next one be?\n/plan prod", "+1 eyes")
	sha := pullRequest(t, w, "next", map[string]string{configPath: servertest.Config + "# a change\n"})
	w.Until("the pipeline files are checked", func() bool { return len(configChecks(w, sha)) > 0 })
	staging, _ := w.Check("stagecoach/staging")
	tab := chromium.Page()
	config := configChecks(w, sha)[0].ID
	for name, c := range map[string]struct{ path, want string }{
		"pull-request": {fmt.Sprintf("pull/%d", pull), "What would hold it up"},
		"config-check": {fmt.Sprintf("runs/%d", config), "delivers"},
		"check":        {fmt.Sprintf("runs/%d", staging.ID), "git-wait-for-pr"},
	} {
		if text := lookAtPage(t, tab, w.Sim.URL()+"/acme/gitops/"+c.path, name); !strings.Contains(text, c.want) {
			t.Errorf("%s says no %q:\n%s", name, c.want, text)
		}
	}
}
