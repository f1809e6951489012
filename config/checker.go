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
	if s.required && len(n.Content) == 0 {
		c.error(n, "%s must not be empty", what)
	}
	for _, item := range items(n) {
		c.value(item, *s.items, "an item of "+what)
	}
}

// object checks keys: unknown, twice, unbuilt, missing, and those that exclude
// each other.
func (c *checker) object(n *yaml.Node, s shape, what string) {
	c.duplicates(n)
	for _, p := range pairs(n) {
		field := s.field(p.key.Value)
		switch {
		case field == nil:
			c.near(p.key, p.key.Value, s.names(), "unknown key `%s` in %s", p.key.Value, what)
		case field.unbuilt:
			c.error(p.key, "`%s` is not built yet in this version; remove it", p.key.Value)
		default:
			c.value(p.value, *field, "`"+field.name+"`")
			c.emptyText(p.value, *field, s)
		}
	}
	for _, field := range s.fields {
		if field.required && get(n, field.name) == nil {
			c.error(n, "%s needs the key `%s`", what, field.name)
		}
	}
	c.groups(n, s, what)
}

// emptyText refuses an empty text in a step's config where it can only be a
// slip; in a group of keys it means that the key is not the one given.
func (c *checker) emptyText(n *yaml.Node, field, parent shape) {
	empty := n.Kind == yaml.ScalarNode && n.Value == "" && n.ShortTag() == "!!str"
	if !empty || field.typ != promotion.TypeString || !field.template || field.required {
		return
	}
	for _, group := range parent.oneOf {
		if slices.Contains(group, field.name) {
			return
		}
	}
	c.error(n, "`%s` must not be empty; leave it out", field.name)
}

func (c *checker) duplicates(n *yaml.Node) {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := resolve(n.Content[i])
		switch line, twice := first[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			c.error(key, "a key must be text, not %s", describe(key))
		case twice:
			c.error(key, "the key `%s` stands here a second time; it is on line %d already", key.Value, line)
		default:
			first[key.Value] = key.Line
		}
	}
}

func (c *checker) groups(n *yaml.Node, s shape, what string) {
	for _, group := range s.oneOf {
		if given := c.given(n, group); len(given) > 1 {
			c.error(given[1].key, "%s takes only one of %s", what, ticked(group))
		}
	}
	if len(s.exactly) == 0 {
		return
	}
	given := c.given(n, s.exactly)
	switch {
	case len(given) == 0:
		c.error(n, "%s needs one of %s", what, ticked(s.exactly))
	case len(given) > 1:
		c.error(given[1].key, "%s takes only one of %s", what, ticked(s.exactly))
	}
}

// given are the keys of a group that say something: an empty text or false is
// as good as leaving the key out.
func (c *checker) given(n *yaml.Node, group []string) []pair {
	var out []pair
	for _, p := range pairs(n) {
		empty := p.value.Kind == yaml.ScalarNode && (p.value.Value == "" || p.value.ShortTag() == "!!bool" && strings.EqualFold(p.value.Value, "false"))
		if slices.Contains(group, p.key.Value) && (!empty || p.value.ShortTag() == "!!null") {
			out = append(out, p)
		}
	}
	return out
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

func ticked(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

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
