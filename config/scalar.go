package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// scalar checks a value that is no object and no list.
func (c *checker) scalar(n *yaml.Node, s shape, what string) {
	if n.Kind != yaml.ScalarNode {
		c.error(n, "%s must be %s, not %s", what, wanted(s.typ), describe(n))
		return
	}
	if _, err := scalarJSON(n); err != nil {
		c.error(n, "%s: %s", what, err)
		return
	}
	if s.typ != promotion.TypeScalar && !slices.Contains(tags[s.typ], n.ShortTag()) {
		c.wrongType(n, s, what)
		return
	}
	switch {
	case s.typ == typeDuration:
		if _, err := parseDuration(n.Value); err != nil {
			c.error(n, "%s: %s", what, err)
		}
	case s.typ == promotion.TypeString && s.required && !s.blank && n.Value == "":
		c.error(n, "%s must not be empty", what)
	case len(s.enum) > 0 && !slices.Contains(s.enum, n.Value):
		c.near(n, n.Value, s.enum, "%s cannot be `%s`", what, shorten(n.Value))
	case s.form == promotion.FormDocument:
		c.checkWith(c.options.CheckDocument, n)
	case s.rule != nil && n.Value != "" || s.rule != nil && s.required:
		if wrong := s.rule(n.Value); wrong != "" {
			c.error(n, "%s: %s", what, wrong)
		}
	}
}

// tags are the YAML tags that fit a type. A timestamp is text that looks like one.
var tags = map[promotion.Type][]string{
	promotion.TypeString: {"!!str", "!!timestamp"},
	promotion.TypeInt:    {"!!int"},
	promotion.TypeBool:   {"!!bool"},
	typeDuration:         {"!!str"},
}

func (c *checker) wrongType(n *yaml.Node, s shape, what string) {
	hint := ""
	switch tag := n.ShortTag(); {
	case s.typ == typeDuration && tag == "!!int":
		hint = fmt.Sprintf("; write %[1]ss, %[1]sm, %[1]sh or %[1]sd", n.Value)
	case s.typ == promotion.TypeString && (tag == "!!int" || tag == "!!float" || tag == "!!bool"):
		hint = "; if you mean the text, write '" + n.Value + "'"
	case s.typ == promotion.TypeBool && slices.Contains([]string{"yes", "no", "on", "off", "y", "n"}, strings.ToLower(n.Value)):
		hint = "; write true or false"
	case tag == "!!str" && slices.Contains(tags[s.typ], (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).ShortTag()):
		hint = "; take the quotes off"
	}
	c.error(n, "%s must be %s, not %s%s", what, wanted(s.typ), describe(n), hint)
}

func wanted(t promotion.Type) string {
	switch t {
	case promotion.TypeString:
		return "text"
	case promotion.TypeInt:
		return "an integer"
	case promotion.TypeBool:
		return "true or false"
	case typeDuration:
		return "a duration such as 30m"
	}
	return "a single value"
}
