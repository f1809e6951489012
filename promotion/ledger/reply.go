package ledger

import (
	"fmt"
	"strings"
)

// Marker is a hidden line by which a comment or a pull request of the app is
// known as the work of one effect, or of one promotion. Who looks for it must
// also look at the author: anybody can write one.
func Marker(id string) string { return "<!-- stagecoach " + markerID(id) + " -->" }

// markerID writes an ID so that it cannot end the comment. Different IDs stay
// different: whatever is not plain, "%" included, becomes %XX.
func markerID(id string) string {
	var out strings.Builder
	for i := range len(id) {
		c := id[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._:/#", c) >= 0 ||
			c == '-' && i > 0 && id[i-1] != '-' && i+1 < len(id)
		if plain {
			out.WriteByte(c)
			continue
		}
		fmt.Fprintf(&out, "%%%02X", c)
	}
	return out.String()
}

// Reply is the comment that answers a command. text is the core's Markdown, and
// may quote outside text: HTML in it is shown, and mentions notify nobody but the
// person it begins with, who is the one being answered. The core's own lists,
// tables and code stay. It is cut to what a comment holds.
func Reply(text, marker string) string {
	lines := strings.Split(strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n"), "\n")
	for i, line := range lines {
		line = visible(line)
		asked := ""
		if i == 0 && strings.HasPrefix(line, "@") {
			asked, line = line[:1], line[1:]
		}
		lines[i] = asked + htmlless.Replace(mention.ReplaceAllString(line, "${1}@"+gap+"${2}"))
	}
	out := strings.Join(lines, "\n")
	if room := maxText - len(marker) - 100; len(out) > room {
		out = strings.ToValidUTF8(out[:room], "") + "…\n\nThis answer was too long; the rest is in the tracking issue."
	}
	return out + "\n\n" + marker
}

// htmlless shows tags as text. Outside code the backslash goes away in rendering;
// inside it a "<" is text already, and the backslash shows. A marker is broken up too:
// who looks for one looks at the text as it was written.
var htmlless = strings.NewReplacer("<!--", `\<`+gap+`!--`, "<", `\<`)
