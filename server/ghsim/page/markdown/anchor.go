package markdown

import (
	"html"
	"regexp"
	"strings"
)

var hrefOf = regexp.MustCompile(` href="([^"]*)"`)

// anchor opens a link. Links to this site become paths; an address that stands for itself is shown as GitHub shortens it.
func (f *finisher) anchor(tag, after string) string {
	f.end("a") // links do not nest
	m := hrefOf.FindStringSubmatch(tag)
	if m == nil {
		return after
	}
	address := html.UnescapeString(m[1])
	f.out.WriteString(`<a href="` + html.EscapeString(f.at.here(address)) + `" rel="nofollow">`)
	f.stack = append(f.stack, "a")
	text, rest, bare := strings.Cut(after, "</a>")
	if bare && html.UnescapeString(text) == address {
		f.out.WriteString(f.at.short(address))
		return "</a>" + rest
	}
	return after
}

var hasScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// here is the address as seen from a page of this site.
func (p Place) here(address string) string {
	if path, below := strings.CutPrefix(address, p.Web+"/"); below && p.Web != "" {
		return "/" + strings.TrimLeft(path, `/\`) // two slashes would lead to another host
	}
	if p.Base != "" && address != "" && !hasScheme.MatchString(address) && !strings.ContainsRune("/#?", rune(address[0])) {
		return p.Base + address
	}
	return address
}

var (
	toNumber  = regexp.MustCompile(`^/([\w.-]+/[\w.-]+)/(?:issues|pull)/([0-9]+)(#issuecomment-[0-9]+)?$`)
	toCommit  = regexp.MustCompile(`^/([\w.-]+/[\w.-]+)/commit/([0-9a-f]{7,40})$`)
	toCompare = regexp.MustCompile(`^/([\w.-]+/[\w.-]+)/compare/([0-9a-f]{7,40})(\.{2,3})([0-9a-f]{7,40})$`)
)

// short is the text that GitHub gives to an address of itself, as HTML.
func (p Place) short(address string) string {
	path, below := strings.CutPrefix(address, p.Web)
	if !below || p.Web == "" {
		return html.EscapeString(address)
	}
	if m := toNumber.FindStringSubmatch(path); m != nil {
		suffix := ""
		if m[3] != "" {
			suffix = " (comment)"
		}
		return html.EscapeString(p.owned(m[1], "#") + m[2] + suffix)
	}
	if m := toCommit.FindStringSubmatch(path); m != nil {
		return html.EscapeString(p.owned(m[1], "@")) + "<code>" + m[2][:7] + "</code>"
	}
	if m := toCompare.FindStringSubmatch(path); m != nil {
		return html.EscapeString(p.owned(m[1], "@")) + "<code>" + m[2][:7] + m[3] + m[4][:7] + "</code>"
	}
	return html.EscapeString(address)
}

// owned is what stands before a number or hash: nothing for a hash of this repository, else the repository's name.
func (p Place) owned(repo, sign string) string {
	switch {
	case !strings.EqualFold(repo, p.Repo):
		return repo + sign
	case sign == "#":
		return sign
	}
	return ""
}
