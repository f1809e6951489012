package dashboard_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/dashboard"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/ghsim/page"
	"github.com/stagecoach-app/stagecoach/server/servertest/browser"
)

// watch notes what a page must not do: break its policy, or fail in its script. It sets
// the browser's clock to that of the fixture.
const watch = `window.faults = []; Date.now = () => Date.UTC(2026, 10, 30, 12, 0, 0);
addEventListener("securitypolicyviolation", (e) => faults.push("policy: " + e.violatedDirective + " " + e.blockedURI));
addEventListener("error", (e) => faults.push("script: " + e.message));
addEventListener("unhandledrejection", (e) => faults.push("promise: " + e.reason));`

// TestLooks opens every page in a browser: light and dark, wide and on a phone, with
// plain text and with texts of strangers. With STAGECOACH_AXE, the path of axe.min.js of
// npm's axe-core, accessibility is judged too; with STAGECOACH_PICTURES=../../docs/images
// the pictures of docs/dashboard.md are made anew.
func TestLooks(t *testing.T) {
	chromium := browser.Start(t)
	w := newWorld(t, false)
	w.sim.HandlePages(page.New(w.sim, page.Options{As: "octocat"}))
	w.asides = []dashboard.Aside{{Repo: w.repo.ID, Type: "push", GUID: "72d3162e", Reason: nasty, At: noon}}
	paths := w.manyKinds()
	tab := chromium.Page()
	tab.OnEachPage(watch)
	tab.Size(1280, 800, false)
	tab.Go(w.server.URL + "/r/acme/gitops")
	judge(t, tab, "sign-in")
	tab.Press(".go")
	tab.Press(`button[value="yes"]`)
	if tab.Address() != w.server.URL+"/r/acme/gitops" {
		t.Fatalf("the sign-in leads to %s", tab.Address())
	}
	keyboard(t, tab)
	for _, path := range paths {
		for _, look := range looks() {
			tab.Size(look.width, 800, look.dark)
			tab.Go(w.server.URL + path)
			judge(t, tab, fmt.Sprintf("%s at %d, dark %v", path, look.width, look.dark))
			keep(t, tab, path, look.width, look.dark)
		}
	}
}

// keyboard goes to the content with two keys, and sees where it is all the while.
func keyboard(t *testing.T, tab *browser.Page) {
	t.Helper()
	var at, outline string
	tab.Key("Tab")
	tab.Eval("document.activeElement.className", &at)
	tab.Eval("getComputedStyle(document.activeElement).outlineStyle", &outline)
	if at != "skip" || outline == "none" {
		t.Errorf("the first key leads to %q, with the outline %s", at, outline)
	}
	tab.Key("Enter")
	tab.Eval("document.activeElement.id", &at)
	if at != "main" {
		t.Errorf("the content is skipped to %q", at)
	}
}

// look is how a page is looked at.
type look struct {
	width int
	dark  bool
}

// looks are those of each page: all when pictures are made, else the two that have the
// least in common, which are both shades and both widths.
func looks() []look {
	if os.Getenv("STAGECOACH_PICTURES") == "" {
		return []look{{1280, false}, {360, true}}
	}
	return []look{{1280, false}, {1280, true}, {360, false}, {360, true}}
}

// manyKinds furnishes repositories of every kind, and gives the pages to look at.
func (w *world) manyKinds() []string {
	names := map[string]func(ghsim.Repo) *promotion.State{
		"hostile": func(r ghsim.Repo) *promotion.State { return hostile(fixture(r, w.inst), nasty) },
		"fifty":   func(r ghsim.Repo) *promotion.State { return fifty(r, w.inst) },
		"chain":   func(r ghsim.Repo) *promotion.State { return chain(r, w.inst) },
		"shop":    func(r ghsim.Repo) *promotion.State { return shop(r, w.inst) },
		"empty":   func(r ghsim.Repo) *promotion.State { return &promotion.State{Repo: fixture(r, w.inst).Repo} },
	}
	var of string
	for _, p := range fixture(w.repo, w.inst).Pipelines["default"].Promotions {
		if p.Stage == "prod" {
			of = "/promotions/" + p.Name
		}
	}
	paths := []string{"/", "/?q=nothing", "/r/acme/gitops", "/r/acme/gitops" + of, "/r/acme/hostile" + of, "/r/acme/not-there"}
	for name, state := range names {
		repo := w.create(name)
		must(w.t, w.sim.SetPermission(repo, "octocat", "write"))
		must(w.t, w.sim.AddToInstallation(w.inst, repo))
		w.shelf.put(state(repo))
		paths = append(paths, "/r/acme/"+name)
	}
	return paths
}

// judge fails where a page breaks its policy, runs over its sides, lacks what a screen
// reader needs, or axe finds something.
func judge(t *testing.T, tab *browser.Page, what string) {
	t.Helper()
	var faults []string
	var wide bool
	tab.Eval("document.documentElement.scrollWidth > innerWidth", &wide)
	tab.Eval(fmt.Sprintf("window.faults.concat(%s)", structure), &faults)
	faults = append(faults, axe(t, tab)...)
	if wide {
		faults = append(faults, "it runs over the side of the page")
	}
	for _, fault := range faults {
		t.Errorf("%s: %s", what, fault)
	}
}

// structure lists what every page must have, without any tool.
const structure = `(() => {
	const out = [], all = (s) => [...document.querySelectorAll(s)];
	if (all("h1").length !== 1) out.push(all("h1").length + " first headings");
	for (const one of ["main", "header", "footer"]) if (all(one).length !== 1) out.push(all(one).length + " " + one);
	let level = 1;
	for (const h of all("main h1, main h2, main h3, main h4")) {
		if (+h.tagName[1] > level + 1) out.push("a heading leaps: " + h.textContent);
		level = +h.tagName[1];
	}
	const ids = all("[id]").map((e) => e.id);
	for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) out.push("twice: #" + id);
	for (const th of all("th")) if (!th.scope) out.push("a heading cell without scope: " + th.textContent);
	for (const table of all("table")) if (!table.caption) out.push("a table without caption");
	for (const svg of all("svg[role=img]")) if (!svg.querySelector("title") || !svg.querySelector("desc")) out.push("a picture without title or description");
	for (const a of all("a")) {
		if (!a.textContent.trim()) out.push("a link without text");
		if (a.origin !== location.origin && !a.href.startsWith(document.querySelector("footer a").href)) out.push("a link elsewhere: " + a.href);
	}
	return out;
})()`

// axe runs axe-core, if it is there.
func axe(t *testing.T, tab *browser.Page) []string {
	t.Helper()
	path := os.Getenv("STAGECOACH_AXE")
	if path == "" {
		return nil
	}
	script, err := os.ReadFile(path)
	must(t, err)
	tab.Eval(string(script)+";undefined", nil)
	var found string
	tab.Eval(`axe.run({ resultTypes: ["violations"] }).then((r) => JSON.stringify(r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + ": " + n.html.slice(0, 200) + " " + (n.any[0]?.message ?? "")))))`, &found)
	var out []string
	must(t, json.Unmarshal([]byte(found), &out))
	return out
}

// keep writes the pictures of the docs, or of everything into another folder.
func keep(t *testing.T, tab *browser.Page, path string, width int, dark bool) {
	t.Helper()
	dir := os.Getenv("STAGECOACH_PICTURES")
	if dir == "" {
		return
	}
	shade := map[bool]string{false: "light", true: "dark"}[dark]
	name := strings.Trim(strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path), "-")
	name, _, _ = strings.Cut(name, ".")
	name = fmt.Sprintf("%s-%d-%s.png", name, width, shade)
	if filepath.Base(dir) == "images" {
		if path != "/r/acme/shop" || width != 1280 {
			return
		}
		must(t, os.WriteFile(filepath.Join(dir, "dashboard-"+shade+".png"), smaller(t, tab.Picture(), 1180), 0o600))
		return
	}
	must(t, os.WriteFile(filepath.Join(dir, name), tab.Picture(), 0o600))
}

// fifty is a pipeline whose last stages stand side by side.
func fifty(repo ghsim.Repo, installation int64) *promotion.State {
	s := fixture(repo, installation)
	c, ps := s.Local.Config["default"], s.Pipelines["default"]
	for i := range 46 {
		name := fmt.Sprintf("region-%02d", i)
		c.Stages = append(c.Stages, promotion.Stage{Name: name, After: []string{"prod"}, Auto: i%2 == 0, Deliver: promotion.DeliverPullRequest})
		st := &promotion.StageState{Current: &promotion.Landing{Freight: freight(1).ID, At: noon}, Verified: map[string]time.Time{freight(1).ID: noon}}
		st.Health.Bad = i == 7
		ps.Stages[name] = st
	}
	return s
}

// chain is a pipeline whose stages come one after the other, each with an own name.
func chain(repo ghsim.Repo, installation int64) *promotion.State {
	s := fixture(repo, installation)
	c := s.Local.Config["default"]
	for i := range 26 {
		c.Stages = append(c.Stages, promotion.Stage{Name: fmt.Sprintf("step-%02d", i), After: []string{c.Stages[len(c.Stages)-1].Name}, Deliver: promotion.DeliverCommit})
	}
	return s
}
