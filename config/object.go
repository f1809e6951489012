package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// object checks keys: unknown, twice, missing, and those that exclude
// each other.
func (c *checker) object(n *yaml.Node, s shape, what string) {
	c.duplicates(n)
	if s.required && s.open && len(n.Content) == 0 {
		c.error(n, "%s must not be empty", what)
	}
	for _, p := range pairs(n) {
		field := s.field(p.key.Value)
		switch {
		case field == nil && s.open:
			c.free(p.value)
		case field == nil:
			c.near(p.key, p.key.Value, s.names(), "unknown key `%s` in %s", p.key.Value, what)
		case field.refused != "" && !saysNothing(p.value):
			c.error(p.key, "`%s` cannot be used in %s: %s", field.name, what, field.refused)
		case field.refused != "":
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

// given are the keys of a group that say something.
func (c *checker) given(n *yaml.Node, group []string) []pair {
	var out []pair
	for _, p := range pairs(n) {
		if slices.Contains(group, p.key.Value) && !saysNothing(p.value) {
			out = append(out, p)
		}
	}
	return out
}

// saysNothing reports whether a value is as good as leaving its key out: an empty
// text, an empty list or false.
func saysNothing(n *yaml.Node) bool {
	switch {
	case n.ShortTag() == "!!null":
		return false
	case n.Kind == yaml.ScalarNode:
		return n.Value == "" || n.ShortTag() == "!!bool" && strings.EqualFold(n.Value, "false")
	}
	return n.Kind == yaml.SequenceNode && len(n.Content) == 0
}

func ticked(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }
