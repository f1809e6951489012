package demo

import (
	"strings"
)

// columns is how wide lines get. Links may be longer: they are never cut.
const columns = 100

// width is how many columns a text takes in a terminal, as far as the marks go
// that are used here.
func width(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case r == '\uFE0F': // only says that the mark before is drawn in colour
		case r >= 0x1F300 || strings.ContainsRune("✅⏳❌✋❄⏭↩", r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// pad fills a text up with spaces to n columns.
func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-width(text)))
}

// clip shortens a text to n columns.
func clip(text string, n int) string {
	if width(text) <= n {
		return text
	}
	out, used := "", 0
	for _, r := range text {
		w := width(string(r))
		if used+w > n-1 {
			break
		}
		out, used = out+string(r), used+w
	}
	return out + "…"
}

// plain keeps control characters of other people's texts off the terminal, and
// makes one line of them.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7F && r < 0xA0 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text)), " ")
}

// style is how a word is coloured; the zero value is not at all.
type style string

const (
	good  style = "32"
	bad   style = "31"
	wait  style = "33"
	faint style = "2"
	bold  style = "1"
)

// paint colours a text, if the terminal may be coloured.
func paint(color bool, s style, text string) string {
	if !color || s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
