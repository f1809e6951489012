package markdown_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/ghsim/page/markdown"
)

const sha = "140bf122dab770a8f34fdd1d5f1e5e250b0272c3"

func place() markdown.Place {
	return markdown.Place{
		Web: "http://127.0.0.1:8090", Repo: "acme/gitops",
		Person: func(login string) bool { return login == "octocat" },
		Number: func(repo string, n int) string {
			switch {
			case repo == "acme/gitops" && n == 5, repo == "acme/web" && n == 5:
				return "issues"
			case repo == "acme/gitops" && n == 214:
				return "pull"
			}
			return ""
		},
		Commit: func(_, short string) string {
			if strings.HasPrefix(sha, short) {
				return sha
			}
			return ""
		},
	}
}

func TestComment(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"lines break", "a\nb", "<p>a<br>\nb</p>\n"},
		{"hidden comments stay hidden", "a\n\n<!-- state: x -->\n", "<p>a</p>\n\n"},
		{"mention", "hi @octocat, not @nobody or a@octocat.com", `<p>hi <a class="mention" href="/octocat">@octocat</a>, not @nobody or <a href="mailto:a@octocat.com" rel="nofollow">a@octocat.com</a></p>` + "\n"},
		{"issue and pull request", "#5, #214 and #6; acme/web#5", `<p><a href="/acme/gitops/issues/5">#5</a>, <a href="/acme/gitops/pull/214">#214</a> and #6; <a href="/acme/web/issues/5">acme/web#5</a></p>` + "\n"},
		{"GH-", "GH-5", `<p><a href="/acme/gitops/issues/5">GH-5</a></p>` + "\n"},
		{"in a word", "a#5 #5th x/y/z#5 &#35;5", `<p>a#5 #5th x/y/z#5 <a href="/acme/gitops/issues/5">#5</a></p>` + "\n"},
		{"broken by a gap", "#\u200b5 @\u200boctocat", "<p>#\u200b5 @\u200boctocat</p>\n"},
		{"entities are no numbers", "it's #5", `<p>it&#39;s <a href="/acme/gitops/issues/5">#5</a></p>` + "\n"},
		{"commit", "in 140bf12, not deadbee", `<p>in <a href="/acme/gitops/commit/` + sha + `"><code>140bf12</code></a>, not deadbee</p>` + "\n"},
		{"commit elsewhere", "acme/web@140bf12", `<p><a href="/acme/web/commit/` + sha + `">acme/web@<code>140bf12</code></a></p>` + "\n"},
		{"none in code", "`@octocat #5`", "<p><code>@octocat #5</code></p>\n"},
		{"none in links", "[#5 @octocat](http://e.example/)", `<p><a href="http://e.example/" rel="nofollow">#5 @octocat</a></p>` + "\n"},
		{"own address", "http://127.0.0.1:8090/acme/gitops/pull/214", `<p><a href="/acme/gitops/pull/214" rel="nofollow">#214</a></p>` + "\n"},
		{"own commit", "http://127.0.0.1:8090/acme/web/commit/" + sha, `<p><a href="/acme/web/commit/` + sha + `" rel="nofollow">acme/web@<code>140bf12</code></a></p>` + "\n"},
		{"link to here with text", "[it](http://127.0.0.1:8090//evil.example)", `<p><a href="/evil.example" rel="nofollow">it</a></p>` + "\n"},
		{"task list", "- [x] a\n- [ ] b", "<ul>\n<li><input type=\"checkbox\" disabled checked> a</li>\n<li><input type=\"checkbox\" disabled> b</li>\n</ul>\n"},
		{"table", "| a | b |\n| --- | ---: |\n| `x` | 1 |", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><code>x</code></td>\n<td align=\"right\">1</td>\n</tr>\n</tbody>\n</table>\n"},
		{"details", "<details open><summary><b>x</b></summary>\n\n*y*\n\n</details>", "<details open=\"\"><summary><b>x</b></summary>\n<p><em>y</em></p>\n</details>"},
		{"keyboard and strike", "<kbd>a</kbd> <sub>b</sub> ~~c~~", "<p><kbd>a</kbd> <sub>b</sub> <del>c</del></p>\n"},
	} {
		if got := string(markdown.Comment(c.text, place())); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestFileKeepsLinesTogetherAndLeadsRelativeLinks(t *testing.T) {
	at := place()
	at.Base = "/acme/gitops/blob/main/"
	got := string(markdown.File("a\nb [c](docs/c.md) [d](/x) [e](#y)", at))
	want := `<p>a` + "\n" + `b <a href="/acme/gitops/blob/main/docs/c.md" rel="nofollow">c</a> <a href="/x" rel="nofollow">d</a> <a href="#y" rel="nofollow">e</a></p>` + "\n"
	if got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

func TestCharts(t *testing.T) {
	got := string(markdown.Comment("```mermaid\nflowchart LR\n  a[\"x\"] --> b\n```\n", place()))
	if !strings.Contains(got, `<svg class="chart"`) || !strings.Contains(got, ">x</text>") || strings.Contains(got, "<pre>") {
		t.Errorf("a known chart is drawn as %s", got)
	}
	got = string(markdown.Comment("```mermaid\npie\n  \"a\" : 1\n```\n", place()))
	if strings.Contains(got, "<svg") || !strings.Contains(got, "<pre><code class=\"language-mermaid\">pie") {
		t.Errorf("an unknown chart is shown as %s", got)
	}
}

var hostile = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "<a href=\" javascript:alert(1)\">x</a>",
	"<a href=\"data:text/html,x\">x</a>", "<style>*{display:none}</style>", "<p style=\"position:fixed\">x</p>", "<form action=/x><button>x</button></form>",
	"<iframe src=x></iframe>", "<svg onload=alert(1)><script>x</script></svg>", "<math><mi xlink:href=javascript:x>", "<input type=text name=csrf>",
	"<details ontoggle=alert(1) open>", "<textarea>", "<base href=//e.example>", "<meta http-equiv=refresh content=0>", "<object data=x>", "<!--><script>x</script>",
	"</div></main></body>", "<b><i></b>", "<table><tr><td>", "</details></td></table>", "<div class=box id=main>", "<plaintext>", "<xmp><script>x</script></xmp>",
	"<noscript><p title=\"</noscript><img src=x onerror=x>\">", "```mermaid\nflowchart LR\n a[\"</text><script>x</script>\"]\n```", "![x](javascript:x)", "<code class=\"language-x y\">z",
}

func TestHostileTextIsInert(t *testing.T) {
	for _, text := range append(hostile, strings.Join(hostile, "\n\n"), strings.Join(hostile, " ")) {
		checkInert(t, string(markdown.Comment(text, place())))
	}
}

func FuzzComment(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Add("# a\n- [ ] @octocat #5\n\n| a |\n|--|\n| b |\n")
	f.Fuzz(func(t *testing.T, text string) {
		checkInert(t, string(markdown.Comment(text, place())))
	})
}

var (
	tag     = regexp.MustCompile(`<(/?)([^ >/]*)([^>]*)>`)
	attr    = regexp.MustCompile(`^(?: ([a-z:A-Z-]+)(?:="([^"<>]*)")?)*/?$`)
	oneAttr = regexp.MustCompile(` ([a-zA-Z:-]+)(?:="([^"]*)")?`)
	elems   = regexp.MustCompile(`^(h[1-6]|br|b|i|strong|em|pre|code|tt|div|ins|del|su[pb]|p|[ou]l|li|table|thead|tbody|tfoot|tr|td|th|blockquote|d[ltd]|` +
		`kbd|q|samp|var|hr|ruby|rt|rp|s|strike|summary|details|caption|figure|figcaption|abbr|bdo|cite|dfn|mark|small|span|time|wbr|a|img|input|svg|path|g|rect|text)$`)
)

// checkInert fails when HTML could run, hide, submit or escape anything.
func checkInert(t *testing.T, got string) {
	t.Helper()
	var open []string
	for _, m := range tag.FindAllStringSubmatch(got, -1) {
		name := m[2]
		if !elems.MatchString(name) || !attr.MatchString(m[3]) {
			t.Fatalf("tag %s in %s", m[0], got)
		}
		for _, a := range oneAttr.FindAllStringSubmatch(m[3], -1) {
			checkAttribute(t, name, a[1], a[2])
		}
		switch {
		case m[1] != "":
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("</%s> closes what is not open in %s", name, got)
			}
			open = open[:len(open)-1]
		case !strings.HasSuffix(m[0], "/>") && name != "br" && name != "hr" && name != "img" && name != "input" && name != "wbr":
			open = append(open, name)
		}
	}
	if len(open) > 0 {
		t.Fatalf("%v stay open in %s", open, got)
	}
	if rest := tag.ReplaceAllString(got, ""); strings.ContainsAny(rest, "<>") {
		t.Fatalf("a bare angle in %s", got)
	}
}

func checkAttribute(t *testing.T, element, name, value string) {
	t.Helper()
	lower := strings.ToLower(strings.TrimSpace(value))
	switch {
	case strings.HasPrefix(name, "on"), name == "style", name == "id", name == "name":
		t.Fatalf("attribute %s on %s", name, element)
	case (name == "href" || name == "src") && (strings.HasPrefix(lower, "javascript:") || strings.HasPrefix(lower, "data:")):
		t.Fatalf("%s=%q on %s", name, value, element)
	case element == "input" && name == "type" && value != "checkbox":
		t.Fatalf("an input of type %q", value)
	}
}

// What the tracking issue and the other texts of the product hold must be drawn, not shown as source.
func TestTextsOfTheProduct(t *testing.T) {
	texts, err := filepath.Glob("../../../../promotion/ledger/testdata/*.md")
	if err != nil || len(texts) == 0 {
		t.Fatal("no texts", err)
	}
	for _, file := range texts {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := string(markdown.Comment(string(raw), place()))
		checkInert(t, got)
		if strings.Contains(file, "hostile") {
			continue // there a stage comes after itself, which is no flowchart
		}
		if want, charts := strings.Count(string(raw), "```mermaid\nflowchart"), strings.Count(got, "<svg"); charts != want {
			t.Errorf("%s has %d charts, %d are drawn", file, want, charts)
		}
	}
}
