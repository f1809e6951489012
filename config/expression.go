package config

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// holdsExpression reports whether a node is text with an expression in it: its
// type is known only when it is evaluated.
func holdsExpression(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && (strings.Contains(n.Value, "${{") || strings.Contains(n.Value, "${%"))
}

// expression checks a text that holds expressions.
func (c *checker) expression(n *yaml.Node) {
	c.checkWith(c.options.CheckExpression, n)
}

func (c *checker) checkWith(check func(string) error, n *yaml.Node) {
	if check == nil {
		return
	}
	if err := check(n.Value); err != nil {
		c.error(n, "%s", firstLine(err))
	}
}

func firstLine(err error) error {
	line, _, found := strings.Cut(err.Error(), "\n")
	if !found {
		return err
	}
	return errors.New(line)
}

// named finds freight.NAME and outputs.NAME, also as freight['NAME'].
var named = regexp.MustCompile(`\b(freight|outputs)(?:\.([A-Za-z_]\w*)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\])`)

// names are the sources and the aliases that an expression may speak of.
type names struct{ sources, aliases []string }

// references warns of sources and step outputs that do not exist. It reads text,
// not syntax, so it only warns.
func (c *checker) references(n *yaml.Node, known names) {
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		for _, p := range pairs(n) {
			c.references(p.value, known)
		}
	case n.Kind == yaml.SequenceNode:
		for _, item := range items(n) {
			c.references(item, known)
		}
	case holdsExpression(n):
		c.mentions(n, known)
	}
}

func (c *checker) mentions(n *yaml.Node, known names) {
	for _, m := range named.FindAllStringSubmatchIndex(n.Value, -1) {
		if strings.HasPrefix(strings.TrimSpace(n.Value[m[1]:]), "?") || precededByDot(n.Value, m[0]) {
			continue
		}
		root, name := n.Value[m[2]:m[3]], ""
		for _, group := range []int{2, 3, 4} {
			if m[2*group] >= 0 {
				name = n.Value[m[2*group]:m[2*group+1]]
			}
		}
		switch {
		case root == "freight" && !slices.Contains(known.sources, name):
			c.warnNear(n, name, known.sources, "there is no source `"+name+"`")
		case root == "outputs" && !slices.Contains(known.aliases, name):
			c.warnNear(n, name, known.aliases, "no step before this one is called `"+name+"`")
		}
	}
}

func precededByDot(s string, at int) bool { return at > 0 && s[at-1] == '.' }

func (c *checker) warnNear(n *yaml.Node, word string, known []string, message string) {
	if len(c.found) >= maxDiagnostics {
		return
	}
	suggestion := nearest(word, known)
	if suggestion != "" {
		message += " (did you mean `" + suggestion + "`?)"
	}
	c.report(Diagnostic{Line: n.Line, Column: n.Column, Severity: SeverityWarning, Message: message, Suggestion: suggestion})
}
