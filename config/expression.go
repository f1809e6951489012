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

// named finds freight.NAME, outputs.NAME and vars.NAME, also as freight['NAME'].
var named = regexp.MustCompile(`\b(freight|outputs|vars)(?:\.([A-Za-z_]\w*)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\])`)

// stageNamed finds stageMetadata('NAME').
var stageNamed = regexp.MustCompile(`\bstageMetadata\(\s*(?:'([^']*)'|"([^"]*)")\s*\)`)

// names are those that an expression may speak of.
type names struct{ sources, aliases, vars, stages []string }

// keysOf are the keys of an object.
func keysOf(n *yaml.Node) []string {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var out []string
	for _, p := range pairs(n) {
		out = append(out, p.key.Value)
	}
	return out
}

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

// mentions warns of names in one text.
func (c *checker) mentions(n *yaml.Node, known names) {
	if n == nil || n.Kind != yaml.ScalarNode {
		return
	}
	for _, m := range named.FindAllStringSubmatchIndex(n.Value, -1) {
		if strings.HasPrefix(strings.TrimSpace(n.Value[m[1]:]), "?") || precededByDot(n.Value, m[0]) {
			continue
		}
		switch root, name := n.Value[m[2]:m[3]], group(n.Value, m, 2, 3, 4); {
		case root == "freight" && !slices.Contains(known.sources, name):
			c.warnNear(n, name, known.sources, "there is no source `"+name+"`")
		case root == "outputs" && !slices.Contains(known.aliases, name):
			c.warnNear(n, name, known.aliases, "no step before this one is called `"+name+"`")
		case root == "vars" && !slices.Contains(known.vars, name):
			c.warnNear(n, name, known.vars, "there is no var `"+name+"`")
		}
	}
	for _, m := range stageNamed.FindAllStringSubmatchIndex(n.Value, -1) {
		if name := group(n.Value, m, 1, 2); !slices.Contains(known.stages, name) {
			c.warnNear(n, name, known.stages, "there is no stage `"+name+"`")
		}
	}
}

// group is the text of the one of a match's groups that took part in it.
func group(text string, match []int, groups ...int) string {
	for _, g := range groups {
		if match[2*g] >= 0 {
			return text[match[2*g]:match[2*g+1]]
		}
	}
	return ""
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
