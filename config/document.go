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
	first := c.only(content)
	if first == nil {
		return nil
	}
	root := resolve(first.Content[0])
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		c.emptyFile()
		return nil
	}
	if err := (&measure{}).node(root, 0); err != nil {
		c.error(root, "%s", err)
		return nil
	}
	return root
}

// only reads the first document, and sees that it is the last.
func (c *checker) only(content []byte) *yaml.Node {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var first, second yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		c.emptyFile()
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
	return &first
}

func (c *checker) emptyFile() {
	c.errorAt(1, 1, "the file is empty; a pipeline needs version, sources and stages")
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
