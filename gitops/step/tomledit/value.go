package tomledit

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// scalar writes a string, number or boolean of JSON as TOML, in the form of the
// value that was there; old is empty when there was none.
func scalar(v json.RawMessage, old []byte) (string, error) {
	text := strings.TrimSpace(string(v))
	switch {
	case !json.Valid(v):
		return "", fmt.Errorf("the value %.40q is not JSON", text)
	case text == "null":
		return "", fmt.Errorf("the value is null, which TOML does not have; a string, a number or a boolean can be set")
	case text[0] == '{' || text[0] == '[':
		return "", fmt.Errorf("the value %.40s is not a string, a number or a boolean; set its parts one by one", text)
	case text[0] == '"':
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return "", fmt.Errorf("the value cannot be read: %w", err)
		}
		return written(s, string(old)), nil
	case text == "true" || text == "false":
		return text, nil
	}
	return number(text, string(old))
}

// number keeps the digits. An integer that takes a float's place gets a point.
func number(text, old string) (string, error) {
	if strings.ContainsAny(text, ".eE") {
		return text, nil
	}
	if was, err := valueOf(old); err == nil {
		if _, float := was.(float64); float {
			return text + ".0", nil
		}
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return "", fmt.Errorf("the value %s does not fit into 64 bits, which is all that TOML has", text)
	}
	return text, nil
}

// written writes s in the quotes that were there, or without any if both old and
// s are dates or times of one kind.
func written(s, old string) string {
	if old != "" && old[0] != '"' && old[0] != '\'' {
		was, err := valueOf(old)
		if now, nowErr := valueOf(s); err == nil && nowErr == nil && isTime(was) && reflect.TypeOf(was) == reflect.TypeOf(now) {
			return s
		}
	}
	if strings.HasPrefix(old, "'") && literal(s) {
		return "'" + s + "'"
	}
	return basic(s)
}

func isTime(v any) bool {
	switch v.(type) {
	case time.Time, toml.LocalDate, toml.LocalTime, toml.LocalDateTime:
		return true
	}
	return false
}

// Text is how a value is written in a commit message, as Kargo does.
func Text(v json.RawMessage) string {
	text, err := scalar(v, []byte("''"))
	if err != nil {
		return string(v)
	}
	return text
}

// literal reports whether s may stand between single quotes on one line.
func literal(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || r < ' ' && r != '\t' || r == 0x7f })
}

var short = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}

// basic writes s between double quotes.
func basic(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch escape, ok := short[r]; {
		case ok:
			b.WriteString(escape)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// valueOf reads one value.
func valueOf(text string) (any, error) {
	var v map[string]any
	if err := toml.Unmarshal([]byte("v = "+text+"\n"), &v); err != nil || len(v) != 1 {
		return nil, fmt.Errorf("%q is no value of TOML: %w", text, err)
	}
	return v["v"], nil
}

// sameValue reports whether two texts are the same value of the same type.
func sameValue(a, b string) bool {
	x, errX := valueOf(a)
	y, errY := valueOf(b)
	return errX == nil && errY == nil && same(x, y)
}

// same is reflect.DeepEqual, but what is not a number is the same as itself.
func same(a, b any) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && (x == y || math.IsNaN(x) && math.IsNaN(y))
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	case []any:
		y, ok := b.([]any)
		for i := 0; ok && i < len(x) && i < len(y); i++ {
			ok = same(x[i], y[i])
		}
		return ok && len(x) == len(y)
	case map[string]any:
		y, ok := b.(map[string]any)
		for key := range x {
			value, there := y[key]
			ok = ok && there && same(x[key], value)
		}
		return ok && len(x) == len(y)
	}
	return reflect.DeepEqual(a, b)
}

// with returns v with x at path, and what is missing of the path made.
func with(v any, path yamledit.Path, x any) any {
	if len(path) == 0 {
		return x
	}
	switch c := v.(type) {
	case []any:
		if i, ok := textedit.Index(path[0]); ok && i < len(c) {
			c[i] = with(c[i], path[1:], x)
			return c
		}
		return append(c, with(nil, path[1:], x))
	case map[string]any:
		if c != nil {
			c[path[0]] = with(c[path[0]], path[1:], x)
			return c
		}
	}
	return map[string]any{path[0]: with(nil, path[1:], x)}
}
