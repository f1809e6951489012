package handlers

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// commandNames are the commands that the core carries out, sorted.
var commandNames = names()

func names() []string {
	var out []string
	for _, c := range promotion.Commands {
		out = append(out, c.Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mostCommands is how many commands of one comment count. Anybody may comment
// on a public repository, and each command is remembered until it is answered.
const mostCommands = 100

// ParseCommands returns the commands of a comment in their order, one a line.
//
// A command is a slash and a name at the start of a line of plain text, after at
// most three spaces; case does not matter in the name. Code, quotes, links, HTML
// and comments hold none. A name that is no command but one edit away from one
// gives a Command with Near set; any other is left alone.
func ParseCommands(body string) []promotion.Command {
	body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(body, "\uFFFD"))
	if !mayHold(body) {
		return nil
	}
	var commands []promotion.Command
	for _, l := range plainLines(body) {
		if len(commands) == mostCommands {
			break
		}
		if c, ok := parseLine(l.text); ok {
			c.Line = l.number
			commands = append(commands, c)
		}
	}
	return commands
}

// mayHold is the cheap look that spares most comments the parser.
func mayHold(body string) bool {
	for line := range strings.Lines(body) {
		if startsCommand(line) {
			return true
		}
	}
	return false
}

// startsCommand reports whether a line has a slash and a letter after at most
// three spaces. More are code, or look like it.
func startsCommand(line string) bool {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || len(rest) < 2 || rest[0] != '/' {
		return false
	}
	c := rest[1] | 0x20 // lower case
	return c >= 'a' && c <= 'z'
}

// parseLine reads one line of plain text.
func parseLine(line string) (promotion.Command, bool) {
	if !startsCommand(line) {
		return promotion.Command{}, false
	}
	line = strings.TrimLeft(line, " ")[1:]
	word, rest := line, ""
	if i := strings.IndexFunc(line, unicode.IsSpace); i >= 0 {
		word, rest = line[:i], line[i:]
	}
	name := strings.ToLower(word)
	if slices.Contains(commandNames, name) {
		return promotion.Command{Name: name, Args: splitWords(rest)}, true
	}
	if near := nearest(name); near != "" {
		return promotion.Command{Name: word, Args: splitWords(rest), Near: near}, true
	}
	return promotion.Command{}, false
}

// nearest returns the command that is one edit away from name, or "".
func nearest(name string) string {
	for _, known := range commandNames {
		if oneEdit(name, known) {
			return known
		}
	}
	return ""
}
