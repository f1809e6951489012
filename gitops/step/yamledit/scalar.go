package yamledit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// String is the value s, a string whatever it looks like.
func String(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

// FromJSON reads a string, number, boolean or null. Numbers keep their digits,
// so integers of any size stay what they are.
func FromJSON(raw json.RawMessage) (*yaml.Node, error) {
	text := strings.TrimSpace(string(raw))
	switch {
	case strings.HasPrefix(text, `"`):
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, fmt.Errorf("the value cannot be read: %w", err)
		}
		return String(s), nil
	case !json.Valid(raw):
		return nil, fmt.Errorf("the value %.40q is not JSON", text)
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return nil, fmt.Errorf("the value %.40s is not a string, number, boolean or null; set its parts one by one", text)
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: number(text)}
	n.Tag = n.ShortTag()
	return n, nil
}

// number spells an exponent so that YAML 1.1 readers see a number as well: they
// want a point and a sign (https://yaml.org/type/float.html). Others stay as they are.
func number(text string) string {
	mantissa, exponent, found := strings.Cut(strings.ToLower(text), "e")
	if !found || strings.ContainsAny(text, "tfn") {
		return text
	}
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	if !strings.ContainsAny(exponent, "+-") {
		exponent = "+" + exponent
	}
	return mantissa + "e" + exponent
}

// Text returns the scalar n as it is written where nothing was before.
func Text(n *yaml.Node) string { return scalarText(n, 0, false) }

// scalarText writes n in the quotes of the style that was there, if it is a
// string; inFlow says that it stands inside [] or {}.
func scalarText(n *yaml.Node, old yaml.Style, inFlow bool) string {
	switch {
	case n.ShortTag() != "!!str":
		return n.Value
	case old&yaml.DoubleQuotedStyle != 0:
		return doubleQuoted(n.Value)
	case old&yaml.SingleQuotedStyle != 0 && allPrintable(n.Value):
		return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'"
	case old&yaml.SingleQuotedStyle == 0 && plainIsString(n.Value) && plainFits(n.Value, inFlow):
		return n.Value
	}
	return doubleQuoted(n.Value)
}

// The plain words and numbers that some reader of YAML 1.1 or 1.2 does not take
// for a string: https://yaml.org/type/, and what Ruby and PyYAML add.
var notString = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
	`|~|null|y|yes|n|no|true|false|on|off|=|<<`,
	`[-+]?\.(?:inf|nan)`,
	`[-+]?0[box][0-9a-f_]+`,
	`[-+]?[0-9][0-9_,]*(?:\.[0-9_]*)?(?:e[-+]?[0-9_]+)?`,
	`[-+]?\.[0-9_]+(?:e[-+]?[0-9]+)?`,
	`[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?`,
	`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t \t].*)?`,
}, "|") + `)$`)

// plainIsString reports whether every reader takes s without quotes for a string.
func plainIsString(s string) bool {
	resolved := yaml.Node{Kind: yaml.ScalarNode, Value: s}
	return !notString.MatchString(s) && resolved.ShortTag() == "!!str"
}

// plainFits reports whether the characters of s may stand without quotes. It is
// stricter than the specification where that costs nothing but quotes.
func plainFits(s string, inFlow bool) bool {
	if s == "" || strings.ContainsAny(s[:1], "-?:,[]{}#&*!|>'\"%@` ") || strings.HasSuffix(s, " ") ||
		strings.HasSuffix(s, ":") || strings.Contains(s, ": ") || strings.Contains(s, " #") ||
		strings.HasPrefix(s, "...") || !allPrintable(s) {
		return false
	}
	return !inFlow || !strings.ContainsAny(s, ",?[]{}")
}

// allPrintable reports whether s may stand in plain or single-quoted text on one line.
func allPrintable(s string) bool {
	for _, r := range s {
		if !printable(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

func printable(r rune) bool {
	return r == ' ' || (unicode.IsPrint(r) && r != '\ufeff' && r != utf8.RuneError)
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\t': `\t`, '\r': `\r`, 0: `\0`}

func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch short, ok := shortEscapes[r]; {
		case ok:
			b.WriteString(short)
		case printable(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
