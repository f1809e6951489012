package expr

import (
	"fmt"
	"strings"
)

// Error says which expression is wrong, where and why.
type Error struct {
	Path       string // of the value in the config: updates[0].value; empty: the value itself
	Expression string // its text, without delimiters; empty: the template itself is wrong
	Column     int    // in the expression, in characters from 1; 0: unknown
	Message    string
	Hint       string // what to do; may be empty
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Message)
	if e.Expression != "" {
		fmt.Fprintf(&b, " in ${{ %s }}", abbreviate(e.Expression))
		if e.Column > 0 {
			fmt.Fprintf(&b, " at character %d", e.Column)
		}
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// abbreviate keeps messages readable when an expression is long.
func abbreviate(s string) string {
	const most = 120
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// at puts where a value stands in front of the path of an Error.
func at(err error, key string) error {
	e, ok := err.(*Error)
	if !ok {
		return fmt.Errorf("%s: %w", key, err)
	}
	located := *e
	switch {
	case e.Path == "":
		located.Path = key
	case strings.HasPrefix(e.Path, "["):
		located.Path = key + e.Path
	default:
		located.Path = key + "." + e.Path
	}
	return &located
}
