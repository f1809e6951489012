package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// toJSON writes a node as JSON. Integers of any size stay integers, floats keep
// their text, and what YAML knows and JSON does not (timestamps) is a string.
func toJSON(n *yaml.Node) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := writeJSON(&b, n); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	n = resolve(n)
	switch n.Kind {
	case yaml.MappingNode:
		return writeObject(b, n)
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	text, err := scalarJSON(n)
	b.WriteString(text)
	return err
}

func writeObject(b *bytes.Buffer, n *yaml.Node) error {
	b.WriteByte('{')
	for i, p := range pairs(n) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(p.key.Value) + ":")
		if err := writeJSON(b, p.value); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var digits = regexp.MustCompile(`^[-+]?[0-9]+$`)

func scalarJSON(n *yaml.Node) (string, error) {
	switch n.ShortTag() {
	case "!!null":
		return "null", nil
	case "!!bool":
		if word := strings.ToLower(n.Value); word == "true" || word == "false" {
			return word, nil
		}
		return "null", fmt.Errorf("%q is neither true nor false", n.Value)
	case "!!int":
		return integerJSON(n.Value, 0)
	case "!!float":
		if digits.MatchString(n.Value) { // beyond 64 bits, or 08
			return integerJSON(n.Value, 10)
		}
		return floatJSON(n)
	case "!!str", "!!timestamp", "!!binary":
		return quoted(n.Value), nil
	}
	return "null", fmt.Errorf("the tag %s means nothing here; remove it", n.ShortTag())
}

// integerJSON reads an integer as YAML does: 0x1F, 0o17, 017, 0b1, 1_000.
func integerJSON(text string, base int) (string, error) {
	plain := strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	i, ok := new(big.Int).SetString(plain, base)
	if !ok {
		return "null", fmt.Errorf("%q is no integer", text)
	}
	return i.String(), nil
}

func floatJSON(n *yaml.Node) (string, error) {
	if n.Value != "" && strings.ContainsRune("-0123456789", rune(n.Value[0])) && json.Valid([]byte(n.Value)) {
		return n.Value, nil
	}
	var f float64
	if err := n.Decode(&f); err != nil {
		return "null", fmt.Errorf("%q is no number", n.Value)
	}
	raw, err := json.Marshal(f)
	if err != nil {
		return "null", fmt.Errorf("%s is no number that can be written; quote it if you mean the text", n.Value)
	}
	return string(raw), nil
}
