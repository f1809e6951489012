package hcledit

import (
	"encoding/json"
	"fmt"
	"strings"
)

// scalar writes a string, number, boolean or null of JSON as HCL. Numbers keep
// their digits.
func scalar(v json.RawMessage) (string, error) {
	text := strings.TrimSpace(string(v))
	switch {
	case !json.Valid(v):
		return "", fmt.Errorf("the value %.40q is not JSON", text)
	case text[0] == '{' || text[0] == '[':
		return "", fmt.Errorf("the value %.40s is not a string, number, boolean or null; set its parts one by one", text)
	case text[0] != '"':
		return text, nil
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return "", fmt.Errorf("the value cannot be read: %w", err)
	}
	return quoted(s), nil
}

// Text is how a value is written; what cannot be written stays as it is.
func Text(v json.RawMessage) string {
	text, err := scalar(v)
	if err != nil {
		return string(v)
	}
	return text
}

var short = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// quoted writes s between quotes. What would begin a template is doubled:
// https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md#template-literals
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch escape, ok := short[r]; {
		case ok:
			b.WriteString(escape)
		case (r == '$' || r == '%') && strings.HasPrefix(s[i+1:], "{"):
			b.WriteString(string(r) + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
