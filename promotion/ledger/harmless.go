package ledger

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// gap is invisible. GitHub looks for mentions and references in the rendered
// text, where a backslash is gone already; a gap stays.
const gap = "\u200b"

// What GitHub makes a notification, a back reference or a closed issue of.
// https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
// A keyword without a reference closes nothing, so the references are broken.
var (
	mention   = regexp.MustCompile(`(^|[^A-Za-z0-9])@([A-Za-z0-9])`)
	address   = regexp.MustCompile(`@([A-Za-z0-9_-]+\.)`) // of mail: GitHub makes a link of it
	reference = regexp.MustCompile(`(?i)(#|\bgh-|/(?:issues|pulls?|discussions)/)([0-9])`)
	bareWWW   = regexp.MustCompile(`(?i)\bwww\.`)
)

var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `|`, `\|`, `~`, `\~`, `$`, `\$`,
	`&`, `&amp;`, `<`, `&lt;`, `>`, `&gt;`, `://`, `\://`,
)

// Harmless makes outside text one line that is safe anywhere in Markdown, table
// cells included: no mention, no reference that a keyword could close, no markup,
// no link, no HTML, no end of a comment. It reads as the text did.
func Harmless(text string) string { return guardStart(inert(oneLine(text))) }

// sentence is Harmless for the core's sentences: code spans stay code.
func sentence(text string) string {
	var out strings.Builder
	rest := oneLine(text)
	for {
		before, after, opened := strings.Cut(rest, "`")
		span, beyond, closed := strings.Cut(after, "`")
		if !opened || !closed {
			out.WriteString(inert(rest))
			return guardStart(out.String())
		}
		out.WriteString(inert(before))
		out.WriteString(code(span))
		rest = beyond
	}
}

// code is text as a code span. What could leave one, or a table cell, or look
// like a hidden marker of ours, is shown as text instead.
func code(text string) string {
	text = oneLine(text)
	if text == "" || strings.ContainsAny(text, "`|") || strings.Contains(text, "<!--") || strings.Contains(text, "-->") {
		return "\\`" + inert(text) + "\\`"
	}
	return "`" + defuse(text) + "`"
}

// title is text for places without Markdown, such as a pull request's title.
// It ends up in commit messages, where a keyword works too.
func title(text string) string { return defuse(oneLine(text)) }

// inHTML is text for lines that GitHub reads as HTML, such as a summary.
func inHTML(text string) string { return html.EscapeString(defuse(oneLine(text))) }

// oneLine drops what a reader cannot see or would see elsewhere: control
// characters, line breaks, changes of direction.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.Join(strings.Fields(text), " ")
}

// OneLine is text for places that show it as it is, such as a check run's title: one
// line, without what a reader cannot see.
func OneLine(text string) string { return oneLine(text) }

func defuse(text string) string {
	if !strings.ContainsAny(text, "@#/-") {
		return text
	}
	text = mention.ReplaceAllString(text, "${1}@"+gap+"${2}")
	return reference.ReplaceAllString(text, "${1}"+gap+"${2}")
}

func inert(text string) string {
	text = markup.Replace(address.ReplaceAllString(defuse(text), "@"+gap+"${1}"))
	if !strings.ContainsRune(text, '.') {
		return text
	}
	return bareWWW.ReplaceAllStringFunc(text, func(www string) string { return www[:3] + `\.` })
}

// guardStart escapes what would make a heading, a list or a rule of a line.
func guardStart(text string) string {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	starters := "#+-=:"
	if digits > 0 {
		starters = ".)"
	}
	if digits < len(text) && strings.IndexByte(starters, text[digits]) >= 0 {
		return text[:digits] + `\` + text[digits:]
	}
	return text
}

// shorten cuts text after most characters and says so by an ellipsis.
func shorten(text string, most int) string {
	seen := 0
	for at := range text {
		if seen == most {
			return strings.TrimRight(text[:at], " ") + "…"
		}
		seen++
	}
	return text
}
