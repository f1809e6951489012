package markdown

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

// reference is what GitHub may make a link of:
// https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
// Groups: 1 repository and 2 number, 3 number after GH-, 4 login, 5 repository and 6 hash, 7 hash alone.
var reference = regexp.MustCompile(`([\w.-]+/[\w.-]+)?#([0-9]{1,9})|(?i:GH)-([0-9]{1,9})|@([A-Za-z0-9](?:-?[A-Za-z0-9]){0,38})|` +
	`([\w.-]+/[\w.-]+)@([0-9a-f]{7,40})|([0-9a-f]{7,40})`)

// maxLookups bounds the references that are looked up in one run of text.
const maxLookups = 200

// linked is text as HTML, with a link for each reference to something that exists.
func (p Place) linked(text string) string {
	var out strings.Builder
	done := 0
	for _, m := range reference.FindAllStringSubmatchIndex(text, maxLookups) {
		if !standsAlone(text, m[0], m[1]) {
			continue
		}
		if link := p.link(groups(text, m)); link != "" {
			out.WriteString(html.EscapeString(text[done:m[0]]) + link)
			done = m[1]
		}
	}
	return out.String() + html.EscapeString(text[done:])
}

func groups(text string, m []int) []string {
	out := make([]string, len(m)/2)
	for i := range out {
		if m[2*i] >= 0 {
			out[i] = text[m[2*i]:m[2*i+1]]
		}
	}
	return out
}

// standsAlone says that no letter, digit or joining sign touches the reference.
func standsAlone(text string, from, to int) bool {
	if from > 0 && joins(text[from-1], "_/&@#.-`") {
		return false
	}
	return to == len(text) || !joins(text[to], "_/@`") && (text[to] != '-' || to+1 == len(text) || !joins(text[to+1], ""))
}

func joins(c byte, signs string) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(signs, c) >= 0
}

func (p Place) link(g []string) string {
	switch {
	case g[2] != "":
		return p.numberLink(g[0], g[1], g[2])
	case g[3] != "":
		return p.numberLink(g[0], "", g[3])
	case g[4] != "" && p.Person != nil && p.Person(g[4]):
		return fmt.Sprintf(`<a class="mention" href="/%s">%s</a>`, g[4], html.EscapeString(g[0]))
	case g[6] != "":
		return p.commitLink(g[5], g[6])
	case g[7] != "":
		return p.commitLink("", g[7])
	}
	return ""
}

func (p Place) numberLink(text, repo, digits string) string {
	if repo == "" {
		repo = p.Repo
	}
	n, err := strconv.Atoi(digits)
	if err != nil || p.Number == nil {
		return ""
	}
	kind := p.Number(repo, n)
	if kind == "" {
		return ""
	}
	return fmt.Sprintf(`<a href="/%s/%s/%d">%s</a>`, html.EscapeString(repo), kind, n, html.EscapeString(text))
}

func (p Place) commitLink(repo, digits string) string {
	before := ""
	if repo != "" && !strings.EqualFold(repo, p.Repo) {
		before = html.EscapeString(repo + "@")
	} else {
		repo = p.Repo
	}
	if p.Commit == nil {
		return ""
	}
	sha := p.Commit(repo, digits)
	if sha == "" {
		return ""
	}
	return fmt.Sprintf(`<a href="/%s/commit/%s">%s<code>%s</code></a>`, html.EscapeString(repo), sha, before, digits[:7])
}
