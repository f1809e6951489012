package expr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// quote turns any value into a string: strings as they are, all else as JSON.
func quote(args ...any) (any, error) {
	value, err := plain(args[0])
	if err != nil {
		return nil, err
	}
	return textOf(value)
}

// unsafeQuote is quote, but puts quotation marks around strings.
func unsafeQuote(args ...any) (any, error) {
	value, err := plain(args[0])
	if err != nil {
		return nil, err
	}
	raw, err := encode(value)
	return string(raw), err
}

// asJSON writes a value as indented JSON with a final newline.
func asJSON(args ...any) (any, error) {
	value, err := plain(args[0])
	if err != nil {
		return nil, err
	}
	raw, err := encode(value)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("asJSON: %w", err)
	}
	return b.String() + "\n", nil
}

// fromJSON reads a string of JSON; integers stay integers.
func fromJSON(args ...any) (any, error) {
	s, err := texts("fromJSON", args[0])
	if err != nil {
		return nil, err
	}
	value, err := decode(json.RawMessage(s[0]))
	if err != nil {
		return nil, fmt.Errorf("fromJSON: %w", err)
	}
	return value, nil
}

// asYAML writes a value as YAML blocks, members in the order of their keys.
func asYAML(args ...any) (any, error) {
	value, err := plain(args[0])
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := writeYAML(&b, value, ""); err != nil {
		return nil, fmt.Errorf("asYAML: %w", err)
	}
	return b.String(), nil
}

// writeYAML writes a value, the first line of which starts where the writer
// stands; indent is that of the lines after it.
func writeYAML(b *strings.Builder, value any, indent string) error {
	switch v := value.(type) {
	case map[string]any:
		if len(v) > 0 {
			return writeMembers(b, v, indent)
		}
	case []any:
		if len(v) > 0 {
			return writeItems(b, v, indent)
		}
	case string:
		b.WriteString(scalar(v) + "\n")
		return nil
	}
	raw, err := encode(value)
	b.WriteString(string(raw) + "\n")
	return err
}

func writeMembers(b *strings.Builder, members map[string]any, indent string) error {
	for i, key := range sortedKeys(members) {
		if i > 0 {
			b.WriteString(indent)
		}
		b.WriteString(scalar(key) + ":")
		value, inner := members[key], indent+"  "
		switch {
		case isBlock(value):
			if _, list := value.([]any); list {
				inner = indent
			}
			b.WriteString("\n" + inner)
		default:
			b.WriteString(" ")
		}
		if err := writeYAML(b, value, inner); err != nil {
			return err
		}
	}
	return nil
}

func writeItems(b *strings.Builder, items []any, indent string) error {
	for i, item := range items {
		if i > 0 {
			b.WriteString(indent)
		}
		b.WriteString("- ")
		if err := writeYAML(b, item, indent+"  "); err != nil {
			return err
		}
	}
	return nil
}

// isBlock reports whether a value takes lines of its own.
func isBlock(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// safeWord is text that every YAML reader takes for a string, words apart.
var safeWord = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*$`)

// yamlWords are what a YAML 1.1 or 1.2 reader takes for something else than a
// string (https://yaml.org/type/bool.html, https://yaml.org/type/null.html).
var yamlWords = map[string]bool{
	"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true,
	"true": true, "false": true, "null": true,
}

// scalar writes a string so that every YAML reader reads that string.
func scalar(s string) string {
	if safeWord.MatchString(s) && !yamlWords[strings.ToLower(s)] {
		return s
	}
	raw, err := encode(s)
	if err != nil {
		return `""`
	}
	return string(raw)
}
