package yamledit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Path names a value: mapping keys and list indexes from the document's root.
type Path []string

// ParseKey reads a key as people write it: parts with dots between them, "a.b.0".
// A dot, colon or backslash that belongs to a part has a backslash before it; a
// colon in front of a part says that digits are a key, not an index. It is the
// form of sjson paths that Kargo documents (https://github.com/tidwall/sjson#path-syntax).
func ParseKey(key string) (Path, error) {
	if key == "" {
		return nil, errors.New("the key is empty")
	}
	var path Path
	for _, raw := range splitDots(key) {
		part, err := unescape(strings.TrimPrefix(raw, ":"))
		if err != nil {
			return nil, fmt.Errorf("the key %q cannot be read: %w", key, err)
		}
		path = append(path, part)
	}
	return path, nil
}

// splitDots cuts at dots that have no backslash before them.
func splitDots(key string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(key); i++ {
		switch key[i] {
		case '\\':
			i++
		case '.':
			parts = append(parts, key[start:i])
			start = i + 1
		}
	}
	return append(parts, key[start:])
}

func unescape(raw string) (string, error) {
	if raw == "" {
		return "", errors.New("a part between the dots is empty")
	}
	var part strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' {
			i++
			if i == len(raw) || !strings.ContainsRune(`.:\`, rune(raw[i])) {
				return "", errors.New(`a backslash stands before a dot, a colon or a backslash only`)
			}
		}
		part.WriteByte(raw[i])
	}
	return part.String(), nil
}

// String writes the path in the form that ParseKey reads.
func (p Path) String() string {
	parts := make([]string, len(p))
	for i, part := range p {
		parts[i] = strings.NewReplacer(`\`, `\\`, `.`, `\.`).Replace(part)
		if strings.HasPrefix(part, ":") {
			parts[i] = `\` + parts[i]
		}
	}
	return strings.Join(parts, ".")
}

// index reads a list index: digits alone, without leading zeros.
func index(part string) (int, bool) {
	i, err := strconv.Atoi(part)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == part
}
