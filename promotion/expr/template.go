package expr

import (
	"strings"
	"unicode"
)

// part is a piece of a template: text, or an expression.
type part struct {
	text       string // as it stands; of an expression: without delimiters
	expression bool
}

// delimiters are the two ways to write an expression. Each ends at the first
// closing one, also inside a string; the other pair is there for that.
var delimiters = []struct{ open, close string }{{"${{", "}}"}, {"${%", "%}"}}

// parse splits a template into its parts.
func parse(template string) ([]part, error) {
	var parts []part
	for rest := template; rest != ""; {
		start, kind := nextOpen(rest)
		if start < 0 {
			return append(parts, part{text: rest}), nil
		}
		if start > 0 {
			parts = append(parts, part{text: rest[:start]})
		}
		d := delimiters[kind]
		body := rest[start+len(d.open):]
		end := strings.Index(body, d.close)
		if end < 0 {
			return nil, &Error{Message: "unclosed expression " + abbreviate(rest[start:]), Hint: "it must end with " + d.close}
		}
		parts = append(parts, part{text: strings.TrimSpace(body[:end]), expression: true})
		rest = body[end+len(d.close):]
	}
	return parts, nil
}

// nextOpen finds the first opening delimiter, and which one it is.
func nextOpen(s string) (at, kind int) {
	at = -1
	for i, d := range delimiters {
		if j := strings.Index(s, d.open); j >= 0 && (at < 0 || j < at) {
			at, kind = j, i
		}
	}
	return at, kind
}

// single returns the expression of a template that is nothing else, but for
// white space around it, as a YAML block leaves it.
func single(parts []part) (part, bool) {
	var found part
	for _, p := range parts {
		switch {
		case p.expression && found.expression:
			return part{}, false
		case p.expression:
			found = p
		case strings.TrimFunc(p.text, unicode.IsSpace) != "":
			return part{}, false
		}
	}
	return found, found.expression
}
