package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// whole checks what no single place of the file shows: names that stand twice,
// names that do not exist, cycles, and steps in the light of those before.
func (c *checker) whole(root *yaml.Node) {
	sources := c.unique(items(get(root, "sources")), "name", "source")
	c.sources(items(get(root, "sources")))
	c.shared(root)
	stages := items(get(root, "stages"))
	known := c.unique(stages, "name", "stage")
	all := names{sources: sources, stages: known, vars: keysOf(get(root, "vars"))}
	for _, stage := range stages {
		c.after(stage, known)
		c.steps(stage, all)
		c.gates(stage, stages)
	}
	c.cycles(stages)
}

// unique reports names that stand twice, and gives all of them.
func (c *checker) unique(list []*yaml.Node, key, what string) []string {
	lines := map[string]int{}
	var out []string
	for _, item := range list {
		name := get(item, key)
		if name == nil || name.Kind != yaml.ScalarNode {
			continue
		}
		if line, twice := lines[name.Value]; twice {
			c.error(name, "a %s called `%s` is on line %d already", what, name.Value, line)
			continue
		}
		lines[name.Value] = name.Line
		out = append(out, name.Value)
	}
	return out
}

func (c *checker) after(stage *yaml.Node, known []string) {
	var seen []string
	for _, name := range items(get(stage, "after")) {
		switch {
		case name.Kind != yaml.ScalarNode || name.Value == "":
		case slices.Contains(seen, name.Value):
			c.error(name, "`%s` stands in `after` twice", name.Value)
		case !slices.Contains(known, name.Value):
			c.near(name, name.Value, known, "there is no stage `%s`", shorten(name.Value))
		}
		seen = append(seen, name.Value)
	}
}

// cycles reports each circle of `after` once, at its first stage in the file.
func (c *checker) cycles(stages []*yaml.Node) {
	w := &walk{after: map[string][]string{}, done: map[string]bool{}}
	nodes := map[string]*yaml.Node{}
	for _, stage := range stages {
		name := get(stage, "name")
		if name == nil || nodes[name.Value] != nil {
			continue
		}
		nodes[name.Value] = get(stage, "after")
		for _, other := range items(get(stage, "after")) {
			w.after[name.Value] = append(w.after[name.Value], other.Value)
		}
	}
	for _, stage := range stages {
		name := get(stage, "name")
		if name == nil || nodes[name.Value] == nil {
			continue
		}
		if cycle := w.from(name.Value, nil); cycle != nil {
			c.error(nodes[name.Value], "stages wait for each other in a circle: %s", strings.Join(cycle, " → "))
		}
	}
}

// walk looks for circles, depth first.
type walk struct {
	after map[string][]string
	done  map[string]bool
}

func (w *walk) from(name string, path []string) []string {
	if i := slices.Index(path, name); i >= 0 {
		return append(slices.Clone(path[i:]), name)
	}
	if w.done[name] {
		return nil
	}
	var cycle []string
	for _, other := range w.after[name] {
		if found := w.from(other, append(path, name)); found != nil && cycle == nil {
			cycle = found
		}
	}
	w.done[name] = true
	return cycle
}

// stageName names a stage in messages, also one without a name.
func stageName(stage *yaml.Node) string {
	if name := get(stage, "name"); name != nil && name.Kind == yaml.ScalarNode {
		return fmt.Sprintf("stage `%s`", name.Value)
	}
	return "this stage"
}
