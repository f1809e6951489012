package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// maxDiagnostics keeps a file that is wrong everywhere readable.
const maxDiagnostics = 100

// checker collects what is wrong with one file.
type checker struct {
	file    string
	options Options
	found   []Diagnostic
	// tooLarge: a list is longer than this package looks at; what follows from
	// its items is not checked.
	tooLarge bool
}

func (c *checker) report(d Diagnostic) {
	d.File = c.file
	if len(c.found) < maxDiagnostics && !slices.Contains(c.found, d) {
		c.found = append(c.found, d)
	}
}

func (c *checker) errorAt(line, column int, format string, args ...any) {
	c.report(Diagnostic{Line: line, Column: column, Severity: SeverityError, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) error(n *yaml.Node, format string, args ...any) {
	c.errorAt(n.Line, n.Column, format, args...)
}

// near reports an error about a word, with the known word that it may be.
func (c *checker) near(n *yaml.Node, word string, known []string, format string, args ...any) {
	if len(c.found) >= maxDiagnostics {
		return
	}
	d := Diagnostic{Line: n.Line, Column: n.Column, Severity: SeverityError, Message: fmt.Sprintf(format, args...)}
	if d.Suggestion = nearest(word, known); d.Suggestion != "" {
		d.Message += fmt.Sprintf(" (did you mean `%s`?)", d.Suggestion)
	} else if len(known) > 0 && len(known) <= 12 {
		d.Message += "; known: " + strings.Join(known, ", ")
	}
	c.report(d)
}

// value checks a node against its shape. what names it in messages.
func (c *checker) value(n *yaml.Node, s shape, what string) {
	if s.template && holdsExpression(n) {
		c.expression(n)
		return
	}
	switch s.typ {
	case promotion.TypeObject:
		if c.kind(n, yaml.MappingNode, "an object", what) {
			c.object(n, s, what)
		}
	case promotion.TypeList:
		if c.kind(n, yaml.SequenceNode, "a list", what) {
			c.list(n, s, what)
		}
	case typeVars:
		if c.kind(n, yaml.MappingNode, "an object", what) {
			c.free(n)
		}
	case typeAny:
		c.free(n)
	case typeStep:
		c.kind(n, yaml.MappingNode, "an object", what) // its table: see steps.go
	default:
		c.scalar(n, s, what)
	}
}

func (c *checker) kind(n *yaml.Node, kind yaml.Kind, wanted, what string) bool {
	if n.Kind != kind {
		c.error(n, "%s must be %s, not %s", what, wanted, describe(n))
		return false
	}
	return true
}

func (c *checker) list(n *yaml.Node, s shape, what string) {
	if (s.required || s.filled) && len(n.Content) == 0 {
		c.error(n, "%s must not be empty", what)
	}
	if s.most > 0 && len(n.Content) > s.most {
		c.error(n, "%s holds %d items; at most %d are allowed", what, len(n.Content), s.most)
		c.tooLarge = true
		return
	}
	for _, item := range items(n) {
		c.value(item, *s.items, "an item of "+what)
	}
}

// free checks a value of the user's own form: keys once, and nothing that JSON
// cannot hold.
func (c *checker) free(n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		c.duplicates(n)
		for _, p := range pairs(n) {
			c.free(p.value)
		}
	case yaml.SequenceNode:
		for _, item := range items(n) {
			c.free(item)
		}
	default:
		if holdsExpression(n) {
			c.expression(n)
		} else if _, err := scalarJSON(n); err != nil {
			c.error(n, "%s", err)
		}
	}
}

// describe says what a node is, in words.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "the boolean " + n.Value
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!timestamp":
		return "the date " + n.Value
	}
	return fmt.Sprintf("the text %q", shorten(n.Value))
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
