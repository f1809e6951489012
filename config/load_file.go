package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// file reads the YAML file.
func (l *loader) file(name string) {
	content, err := l.readFile(name)
	if err != nil {
		l.fail("%s cannot be read: %w", name, reason(err))
		return
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		l.fail("%s is not YAML%s", name, nearLine(err))
		return
	}
	if len(document.Content) == 0 {
		return
	}
	if err := (&measure{}).node(document.Content[0], 0); err != nil {
		l.fail("%s: %w", name, err)
		return
	}
	l.section(name, "", resolve(document.Content[0]))
}

// nearLine is where a YAML error is, without its text: that may quote a secret.
func nearLine(err error) string {
	if m := yamlLine.FindStringSubmatch(strings.TrimPrefix(err.Error(), "yaml: ")); m != nil {
		return " near line " + m[1]
	}
	return ""
}

// section reads the keys of a mapping; prefix is that of their names.
func (l *loader) section(file, prefix string, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		l.fail("%s:%d: %s must be an object", file, n.Line, cmp.Or(strings.TrimSuffix(prefix, "."), "the file"))
		return
	}
	for _, p := range pairs(n) {
		key := prefix + p.key.Value
		variable := variableOf(key)
		switch {
		case key == "github" || slices.ContainsFunc(settings, func(s setting) bool { return strings.HasPrefix(s.key, strings.TrimPrefix(key, "github.")+".") }):
			l.section(file, key+".", p.value)
		case variable == "":
			l.unknown(file, key, p.key)
		default:
			l.entry(file, key, variable, p)
		}
	}
}

func (l *loader) entry(file, key, variable string, p pair) {
	from := fmt.Sprintf("%s:%d: %s", file, p.key.Line, key)
	if _, twice := l.given[variable]; twice {
		l.fail("%s stands in the file a second time", from)
		return
	}
	var parts []string
	for _, n := range append(items(p.value), p.value) {
		switch {
		case n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null":
			parts = append(parts, n.Value)
		case n.Kind == yaml.MappingNode:
			l.fail("%s must be a single value or a list", from)
			return
		}
	}
	if len(parts) > 0 {
		l.given[variable] = given{strings.Join(parts, "\n"), from}
	}
}

func variableOf(key string) string {
	bare := strings.TrimPrefix(key, "github.")
	for _, s := range settings {
		if s.key == key || s.key == bare && strings.HasPrefix(s.variable, "GITHUB_") {
			return s.variable
		}
	}
	return ""
}

func (l *loader) unknown(file, key string, n *yaml.Node) {
	var known []string
	for _, s := range settings {
		known = append(known, s.key)
		if strings.HasPrefix(s.variable, "GITHUB_") {
			known = append(known, "github."+s.key)
		}
	}
	hint := ""
	if close := nearest(key, known); close != "" {
		hint = fmt.Sprintf(" (did you mean `%s`?)", close)
	}
	l.fail("%s:%d: there is no setting `%s`%s", file, n.Line, key, hint)
}
