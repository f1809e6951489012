package ledger

import (
	"strings"
	"testing"
)

// What an author writes around an expression stays Markdown; what the expression gave
// is text there, also in code, in a table, in a link, in HTML.
func TestInsertIntoAuthorsMarkdown(t *testing.T) {
	const bold = "**v1_2**"
	for _, c := range []struct{ name, before, value, after, want string }{
		{"text", "## New\n\n**Now:** ", bold, " _soon_\n", `\*\*v1\_2\*\*`},
		{"a version", "Now ", "1.4.2", "", "1.4.2"},
		{"a commit", "Now ", "3f9c2e1", "", "3f9c2e1"},
		{"a span of code", "Now `", bold, "`.", bold},
		{"a span of code, out of which it would break", "Now `", "a`b", "`.", "a'b"},
		{"a longer span", "Now ``", "x", " ` ``", "x"},
		{"behind a span", "Now `old` ", bold, "", `\*\*v1\_2\*\*`},
		{"a span that nothing closes", "Now ` ", bold, "\n", `\*\*v1\_2\*\*`},
		{"an escaped mark", "Now \\` ", bold, " `x`", `\*\*v1\_2\*\*`},
		{"a block of code", "```yaml\n", "tag: v1_2\nimage: x", "\n```\n", "tag: v1_2\nimage: x"},
		{"a block of code, out of which it would break", "```\n", "a\n```\n# b\n", "\n```\n", "a\n``" + gap + "`\n# b"},
		{"behind a block of code", "```\nx\n```\n", bold, "", `\*\*v1\_2\*\*`},
		{"a block of tildes", "~~~\n", "a\n~~~", "\n~~~", "a\n~~" + gap + "~"},
		{"a row", "| a | b |\n| --- | --- |\n| ", "x | y\nz", " | 1 |\n", `x \| y z`},
		{"code in a row", "| `", "x|y", "` | 1 |\n", `x\|y`},
		{"a link's address", "[x](https://example.com/", "a) [b](http://evil.example", ")", `a\) \[b\]\(http\://evil.example`},
		{"an attribute", `<a href="https://example.com/`, `x" onclick="y`, `">`, `x&quot; onclick=&quot;y`},
		{"several lines", "Changes:\n", "# one\r\n- two\n\n@octocat fixes #3", "\n", "\\# one\n\\- two\n\n@" + gap + "octocat fixes #" + gap + "3"},
		{"a hidden marker", "```\n", "<!-- stagecoach prod.1 -->", "\n```", "<" + gap + "!-- stagecoach prod.1 -->"},
	} {
		if got := Insert("git-open-pr", "description", c.before, c.after, c.value); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestInsertIntoTitlesAndMessages(t *testing.T) {
	for _, c := range []struct{ name, uses, key, value, want string }{
		{"a title", "git-open-pr", "title", "Fixes #3\nfor @octocat", "Fixes #" + gap + "3 for @" + gap + "octocat"},
		{"a message", "git-commit", "message", "Fix it\r\n\r\nCloses #3", "Fix it\n\nCloses #" + gap + "3"},
		{"our trailers", "git-commit", "message", "x\n\nStagecoach-Promotion: prod.1", "x\n\nStagecoach-Promotion" + gap + ": prod.1"},
		{"a co-author", "git-commit", "message", "x\nCo-Authored-By: a <a@example.com>", "x\nCo-Authored-By" + gap + ": a <a@example.com>"},
		{"no checks", "git-commit", "message", "x [skip ci]\nskip-checks: true", "x [" + gap + "skip ci]\nskip-checks" + gap + ": true"},
		{"a conventional commit", "git-commit", "message", "feat: one", "feat: one"},
		{"what a terminal obeys", "git-commit", "message", "a\x1b[31mb", "a\ufffd[31mb"},
		{"data of another step", "yaml-update", "message", "**x** @octocat", "**x** @octocat"},
		{"data of another key", "git-open-pr", "sourceBranch", "a_b", "a_b"},
	} {
		if got := Insert(c.uses, c.key, "", "", c.value); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Whatever is inserted wherever, the author's text reads as it did: what the value
// brings is text, in one cell, one span, one block.
func FuzzInsert(f *testing.F) {
	for _, frame := range insertFrames {
		f.Add(frame.before, nasty, frame.after)
	}
	f.Add("`", "`", "`")
	f.Add("```\n", "~~~\n```", "\n```")
	f.Fuzz(func(t *testing.T, _, value, _ string) {
		for _, frame := range insertFrames {
			got := Insert("git-open-pr", "description", frame.before, frame.after, value)
			page := render(t, frame.before+got+frame.after)
			harmlessHTML(t, strings.ReplaceAll(page, frame.own, ""))
			if plain := render(t, frame.before+"x"+frame.after); count(page) != count(plain) {
				t.Errorf("%q into %q%q: %s", value, frame.before, frame.after, page)
			}
		}
	})
}

// insertFrames are places in an author's text. own is the HTML that the author wrote.
var insertFrames = []struct{ before, after, own string }{
	{"Now **", "x** and `y`\n\n- a\n", ""},
	{"Now `", "` here\n", ""},
	{"```\n", "\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n", ""},
	{"| a | b |\n| --- | --- |\n| x ", " | 2 |\n", ""},
}

// count is how many elements a page has of those that hold others.
func count(page string) [5]int {
	var n [5]int
	for i, tag := range []string{"<table", "<td", "<pre", "<ul", "<strong"} {
		n[i] = strings.Count(page, tag)
	}
	return n
}
