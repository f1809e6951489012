package ledger

import (
	"regexp"
	"strings"
)

// Insert fits what an expression gave into a text that a pipeline file writes for
// people: the title and the body of a pull request, the message of a commit. What the
// author wrote before and after it stays Markdown; what the expression gave, a tag or a
// commit message of somebody else, is text. Other keys of other steps are data: their
// values stay as they are.
func Insert(uses, key, before, after, value string) string {
	switch uses + "." + key {
	case "git-open-pr.title":
		return title(value)
	case "git-open-pr.description":
		return inMarkdown(before, after, value)
	case "git-commit.message":
		return inMessage(value)
	}
	return value
}

// inMarkdown is text at a place in somebody's Markdown.
func inMarkdown(before, after, value string) string {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	rest, _, _ := strings.Cut(after, "\n")
	alone := strings.TrimSpace(line) == "" && strings.TrimSpace(rest) == ""
	switch {
	case inFence(before):
		return strings.NewReplacer("```", "``"+gap+"`", "~~~", "~~"+gap+"~").Replace(strings.TrimRight(bare(value), "\n"))
	case inSpan(line, rest):
		value = strings.ReplaceAll(defuse(oneLine(bare(value))), "`", "'")
		if strings.HasPrefix(strings.TrimLeft(line, " "), "|") { // a row of a table
			value = strings.ReplaceAll(value, "|", `\|`)
		}
		return value
	}
	if !alone { // it would end the line that it stands in, and what the author opened there
		return attributes.Replace(beginning(line, oneLine(value)))
	}
	lines := strings.Split(strings.ReplaceAll(value, "\r\n", "\n"), "\n")
	for i, each := range lines {
		lines[i] = attributes.Replace(Harmless(each))
	}
	return strings.Join(lines, "\n")
}

// beginning is text that begins a line, or stands behind what does.
func beginning(line, text string) string {
	if strings.TrimSpace(line) == "" {
		return Harmless(text)
	}
	return inert(text)
}

// attributes keeps a value inside of a link's address, or of an attribute of HTML.
var attributes = strings.NewReplacer(`"`, "&quot;", "(", `\(`, ")", `\)`)

// fence opens or closes a block of code.
var fence = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})")

// inFence reports whether a block of code is open at the end of a text.
// https://github.github.com/gfm/#fenced-code-blocks
func inFence(text string) bool {
	open := ""
	lines := strings.Split(text, "\n")
	for _, line := range lines[:len(lines)-1] {
		mark := fence.FindStringSubmatch(line)
		switch {
		case mark == nil:
		case open == "" && (mark[1][0] == '~' || !strings.Contains(line[len(mark[0]):], "`")):
			open = mark[1]
		case open != "" && strings.HasPrefix(mark[1], open) && strings.TrimSpace(line[len(mark[0]):]) == "":
			open = ""
		}
	}
	return open != ""
}

// inSpan reports whether a span of code is open at the end of a line's beginning, and
// closed in its rest. https://github.github.com/gfm/#code-spans
func inSpan(line, rest string) bool {
	open := 0
	for line != "" {
		at := strings.IndexByte(line, '`')
		if at < 0 {
			break
		}
		escaped := open == 0 && strings.HasSuffix(line[:at], `\`)
		line = line[at:]
		n := len(line) - len(strings.TrimLeft(line, "`"))
		switch {
		case escaped:
			n = 1
		case open == 0:
			open = n
		case open == n:
			open = 0
		}
		line = line[n:]
	}
	for open > 0 && rest != "" {
		at := strings.IndexByte(rest, '`')
		if at < 0 {
			return false
		}
		rest = rest[at:]
		n := len(rest) - len(strings.TrimLeft(rest, "`"))
		if n == open {
			return true
		}
		rest = rest[n:]
	}
	return false
}

// trailers are lines that tools take for more than text: ours, whoever wrote or signed
// a commit, and GitHub's way to run no checks.
// https://docs.github.com/en/pull-requests/committing-changes-to-your-project/creating-and-editing-commits/creating-a-commit-with-multiple-authors
// https://docs.github.com/en/actions/how-tos/manage-workflow-runs/skip-workflow-runs
var (
	trailers = regexp.MustCompile(`(?im)^([ \t]*)((?:stagecoach-[a-z-]+|[a-z]+(?:-[a-z]+)*-by|skip-checks)[ \t]*):`)
	skipping = regexp.MustCompile(`(?i)\[((?:skip|no) ci|ci skip|skip actions|actions skip)\]`)
)

// inMessage is text in a commit's message, lines and all: no mention, no reference that
// a keyword could close, no trailer, nothing that a machine acts on.
func inMessage(value string) string {
	value = defuse(visible(strings.ReplaceAll(strings.ToValidUTF8(value, "\ufffd"), "\r\n", "\n")))
	value = trailers.ReplaceAllString(value, "${1}${2}"+gap+":")
	return skipping.ReplaceAllString(value, "["+gap+"${1}]")
}

// MessageTitle is text for the first line of a commit's message.
func MessageTitle(text string) string { return inMessage(title(text)) }
