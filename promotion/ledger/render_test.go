package ledger

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	unsafe "github.com/yuin/goldmark/renderer/html"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// render turns Markdown into HTML without a sanitizer: what outside text could
// smuggle in would show here.
func render(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(unsafe.WithUnsafe()))
	if err := md.Convert([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var (
	anyTag    = regexp.MustCompile(`</?([A-Za-z][A-Za-z0-9]*)([^<>]*)>`)
	anyAddr   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	codeOrOwn = regexp.MustCompile(`(?s)<code.*?</code>|<a href.*?</a>`)
	notifies  = regexp.MustCompile(`(?i)(^|[^a-z0-9_])@[a-z0-9]|#[0-9]|\bgh-[0-9]|/(issues|pull|discussions)/[0-9]`)
	allowed   = map[string]bool{
		"p": true, "h3": true, "h4": true, "ul": true, "li": true, "strong": true, "em": true, "code": true, "pre": true, "a": true, "br": true,
		"table": true, "thead": true, "tbody": true, "tr": true, "th": true, "td": true, "details": true, "summary": true, "b": true,
	}
)

// harmlessHTML fails when the page holds markup, links or calls that are not ours.
func harmlessHTML(t testing.TB, page string) {
	t.Helper()
	page = regexp.MustCompile(`<input disabled="" type="checkbox"> <!-- (approve|retry):[a-z0-9-]+/[a-z0-9-]+ -->`).ReplaceAllString(page, "")
	page = regexp.MustCompile(`(?s)<!-- stagecoach[a-z-]* [^<>]* -->`).ReplaceAllString(page, "")
	if strings.Contains(page, "<!--") {
		t.Errorf("an HTML comment that is not ours: %s", around(page, "<!--"))
	}
	for _, tag := range anyTag.FindAllStringSubmatch(page, -1) {
		if !allowed[tag[1]] {
			t.Errorf("tag <%s%s> came in", tag[1], tag[2])
		}
	}
	for _, addr := range anyAddr.FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(addr[1], "https://github.com/") {
			t.Errorf("a link leads to %s", addr[1])
		}
	}
	text := html.UnescapeString(anyTag.ReplaceAllString(codeOrOwn.ReplaceAllString(page, " "), "\n"))
	if at := notifies.FindString(text); at != "" {
		t.Errorf("%q notifies or references: %s", at, around(text, at))
	}
}

func around(text, what string) string {
	at := strings.Index(text, what)
	return text[max(0, at-60):min(len(text), at+80)]
}

func TestDrawingsRender(t *testing.T) {
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) {
			text := encode(t, scene.state(), day).Text
			safe(t, text)
			page := render(t, text)
			if strings.Contains(page, "<p>|") || strings.Contains(page, "\n|") {
				t.Errorf("a row fell out of its table: %s", around(page, "\n|"))
			}
			if open, closed := strings.Count(page, "<details"), strings.Count(page, "</details>"); open != closed {
				t.Errorf("%d details open, %d close", open, closed)
			}
			if graphs := strings.Count(page, `<code class="language-mermaid">`); graphs != strings.Count(text, "```mermaid") {
				t.Errorf("%d graphs are read", graphs)
			}
		})
	}
}

// Every row of a table has as many cells as its heading: a pipe in outside text
// would add one, and GitHub would drop what no longer fits.
func rowsKeepTheirCells(t *testing.T, text string) {
	t.Helper()
	cells := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := len(cell.FindAllString(line, -1))
		if cells != 0 && n != cells {
			t.Errorf("a row has %d bars, its heading %d: %s", n, cells, line)
		}
		cells = n
	}
}

var (
	cell      = regexp.MustCompile(`(^|[^\\])\|`)
	graphLine = regexp.MustCompile(`^(flowchart LR|  (source|stage)\d+(\(\["[^"]*"\]\)|\["[^"]*"\])|  (source|stage)\d+ --> stage\d+)$`)
	inGraph   = regexp.MustCompile("[`{}<>%&@\\\\]|#[^0-9]")
)

// Mermaid reads labels up to the next quote; nothing but ours may stand outside.
func graphsKeepTheirForm(t *testing.T, text string) {
	t.Helper()
	for _, graph := range strings.Split(text, "```mermaid\n")[1:] {
		graph, _, _ = strings.Cut(graph, "```")
		for l := range strings.Lines(graph) {
			l = strings.TrimSuffix(l, "\n")
			if !graphLine.MatchString(l) {
				t.Errorf("line %q is not of the graph's form", l)
			}
			if bad := inGraph.FindString(strings.ReplaceAll(strings.ReplaceAll(l, "<br/>", ""), "-->", "")); bad != "" {
				t.Errorf("%q stands bare in %q", bad, l)
			}
		}
	}
}

// safe fails when a text is anything but ours in form, whatever it quotes.
func safe(t *testing.T, text string) {
	t.Helper()
	rowsKeepTheirCells(t, text)
	graphsKeepTheirForm(t, text)
	page := render(t, text)
	harmlessHTML(t, page)
	if tables, rules := strings.Count(page, "<table>"), strings.Count(text, "| --- |\n"); tables != rules {
		t.Errorf("%d tables are read of %d written", tables, rules)
	}
}

// Whatever people write as reasons, names, titles, whatever gates and steps say:
// every text stays ours in form.
func FuzzTexts(f *testing.F) {
	f.Add(nasty)
	f.Add("`a``b` @``octocat | 18:00 UTC")
	f.Add("Waiting for 1 of 2 approvals | x")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		s := hostileWith(text)
		safe(t, Draw(s, testLinks, day))
		s.Repo.Idle = "" // then the queue says what it waits for
		safe(t, Draw(s, testLinks, day))
		ps := s.Pipelines["default"]
		waiting := promotion.Task{
			Repo: s.Repo, Promotion: ps.Promotions[len(ps.Promotions)-4], Pipeline: s.Local.Config["default"], State: s, Freight: ps.Freight[2], Before: ps.Freight[0],
		}
		_, body := PullRequest(waiting, testLinks)
		safe(t, body)
		safe(t, CheckSummary(waiting, testLinks))
	})
}

func TestBoxesOnlyForNamesThatCanStandInOne(t *testing.T) {
	if got := Box("approve", "default", "prod"); got != "- [ ] <!-- approve:default/prod --> approve" {
		t.Errorf("drew %q", got)
	}
	for _, stage := range []string{"", "a--b", "prod -->", "Prod", nasty} {
		if got := Box("approve", "default", stage); got != "" {
			t.Errorf("drew %q for the stage %q", got, stage)
		}
	}
}

func TestHarmless(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "Fix rounding in totals", "Fix rounding in totals"},
		{"mention", "cc @octocat", "cc @" + gap + "octocat"},
		{"digest is no mention", "web@sha256:ab", "web@sha256:ab"},
		{"keyword", "closes #1", "closes #" + gap + "1"},
		{"GH", "fixes gh-12", "fixes gh-" + gap + "12"},
		{"address", "see https://github.com/acme/web/pull/4", `see https\://github.com/acme/web/pull/` + gap + "4"},
		{"entity", "&#64;octocat", "&amp;#" + gap + "64;octocat"},
		{"comment", "a --> b", "a --&gt; b"},
		{"lines", "a\r\n\tb\u2028c\x00", "a b c"},
		{"direction", "a\u202eb", "ab"},
		{"heading", "# a", `\# a`},
		{"list", "1. a", `1\. a`},
		{"dots stay", ".github/x.yml", ".github/x.yml"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
	} {
		if got := Harmless(tc.in); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestSentenceKeepsCode(t *testing.T) {
	for in, want := range map[string]string{
		"no key `image.tagg` in it":     "no key `image.tagg` in it",
		"`@everyone` is no stage":       "`@" + gap + "everyone` is no stage",
		"a `b|c` d":                     "a \\`b\\|c\\` d",
		"an open ` tick":                "an open \\` tick",
		"hides `<!-- stagecoach x -->`": "hides \\`&lt;!-- stagecoach x --&gt;\\`",
		"nothing: `` @octocat":          "nothing: \\`\\` @" + gap + "octocat",
	} {
		if got := sentence(in); got != want {
			t.Errorf("sentence(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever text comes in, it is read as itself and as nothing else.
func FuzzHarmless(f *testing.F) {
	f.Add(nasty)
	f.Add("`a``b` @``octocat")
	f.Add("1) a *b* _c_ <d>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, safe := range []string{Harmless(text), sentence(text), code(text)} {
			page := render(t, "x "+safe+"\n\n| a |\n| --- |\n| "+safe+" |\n\n"+safe+"\n")
			harmlessHTML(t, page)
			if strings.Count(page, "<td>") != 1 {
				t.Errorf("%q leaves its cell: %s", safe, page)
			}
		}
		_, line, _ := strings.Cut(render(t, "x "+Harmless(text)), "<p>x")
		line, _, _ = strings.Cut(line, "</p>")
		want := strings.ReplaceAll(oneLine(text), gap, "")
		if got := strings.TrimSpace(strings.ReplaceAll(html.UnescapeString(line), gap, "")); got != want {
			t.Errorf("%q is read as %q", want, got)
		}
	})
}
