package status

import (
	"strings"
	"unicode"
)

// drawTable writes rows with two spaces between columns, none wider than most.
func drawTable(b *strings.Builder, rows [][]string, most []int) {
	wide := make([]int, len(most))
	for _, row := range rows {
		for i := range row {
			row[i] = clip(plain(row[i]), most[i])
			wide[i] = max(wide[i], width(row[i]))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", wide[i]-width(cell)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// width is how many columns a text takes, as far as the marks go that are used here.
func width(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case r == '\uFE0F': // only says that the mark before is drawn in colour
		case r >= 0x1F300 || strings.ContainsRune("✅⏳❌❄⏭↩", r):
			n += 2
		default:
			n++
		}
	}
	return n
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

// wrapped breaks a text between words, so that with the indent before each further
// line none is wider than columns. A word that is wider stands alone.
func wrapped(text, indent string) string {
	lines, line := []string{}, ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(indent)+width(line)+1+width(word) > columns {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n"+indent)
}

// plain keeps control characters and turns of direction in other people's texts off
// the terminal, and makes one line of them.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)), " ")
}
