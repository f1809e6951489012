package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The bounds of a file. Aliases count each time that they are used, so that a
// small file cannot stand for a huge value.
const (
	maxFile  = 1 << 20 // bytes
	maxNodes = 50_000
	maxBytes = 4 << 20 // of text, aliases written out
	maxDepth = 64
)

// document reads the one YAML document of a file; nil when there is none, which
// is reported.
func (c *checker) document(content []byte) *yaml.Node {
	if len(content) > maxFile {
		c.errorAt(1, 1, "the file has %d bytes; at most %d are allowed", len(content), maxFile)
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var first, second yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		c.errorAt(1, 1, "the file is empty; a pipeline needs version, sources and stages")
		return nil
	case err != nil:
		c.notYAML(err)
		return nil
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		c.errorAt(second.Line, 1, "a pipeline file holds one YAML document; this is a second one")
		return nil
	case !errors.Is(err, io.EOF):
		c.notYAML(err)
		return nil
	}
	root := resolve(first.Content[0])
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		c.errorAt(1, 1, "the file is empty; a pipeline needs version, sources and stages")
		return nil
	}
	if err := (&measure{}).node(root, 0); err != nil {
		c.error(root, "%s", err)
		return nil
	}
	return root
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

func (c *checker) notYAML(err error) {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	c.errorAt(max(line, 1), 1, "this is not YAML: %s", text)
}

// measure adds up how large a value is with its aliases written out.
type measure struct{ nodes, bytes int }

func (m *measure) node(n *yaml.Node, depth int) error {
	n = resolve(n)
	m.nodes++
	m.bytes += len(n.Value)
	switch {
	case depth > maxDepth:
		return fmt.Errorf("values are nested more than %d deep, or an alias refers to itself", maxDepth)
	case m.nodes > maxNodes || m.bytes > maxBytes:
		return fmt.Errorf("the file is too large with its aliases written out")
	}
	for _, child := range n.Content {
		if err := m.node(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// resolve follows an alias to its value.
func resolve(n *yaml.Node) *yaml.Node {
	for range maxDepth {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// pair is a key of a mapping with its value.
type pair struct{ key, value *yaml.Node }

// pairs are the keys of a mapping, those of merged mappings (<<) behind its own
// and only where it has none (https://yaml.org/type/merge.html).
func pairs(n *yaml.Node) []pair {
	var own, merged []pair
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), resolve(n.Content[i+1])
		if isMerge(key) {
			merged = append(merged, mergedPairs(value)...)
			continue
		}
		seen[key.Value] = true
		own = append(own, pair{key, value})
	}
	for _, p := range merged {
		if !seen[p.key.Value] {
			seen[p.key.Value] = true
			own = append(own, p)
		}
	}
	return own
}

func isMerge(key *yaml.Node) bool { return key.ShortTag() == "!!merge" }

func mergedPairs(value *yaml.Node) []pair {
	switch value.Kind {
	case yaml.MappingNode:
		return pairs(value)
	case yaml.SequenceNode:
		var out []pair
		for _, item := range value.Content {
			if item = resolve(item); item.Kind == yaml.MappingNode {
				out = append(out, pairs(item)...)
			}
		}
		return out
	}
	return nil
}

// get returns the value of a key of a mapping, or nil.
func get(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for _, p := range pairs(n) {
		if p.key.Value == name {
			return p.value
		}
	}
	return nil
}

// items are the values of a list; none when n is no list.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		out[i] = resolve(item)
	}
	return out
}
