package step

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// parseYAML reads values out of the documents of a YAML file.
func parseYAML(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	return parseFile(ctx, ws, task, fromYAML)
}

// fromYAML reads the first document, or the one that was chosen. Documents that
// nobody asked for may be broken.
func fromYAML(text []byte, chosen *yamlDocument) (value any, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser gave up
			value, err = nil, fmt.Errorf("not valid YAML: %v", r)
		}
	}()
	doc, err := documentIn(text, chosen)
	if err != nil {
		return nil, err
	}
	datesAsText(doc)
	if err := doc.Decode(&value); err != nil {
		return nil, fmt.Errorf("not valid YAML: %w", err)
	}
	return plainYAML(value), nil
}

func documentIn(text []byte, chosen *yamlDocument) (*yaml.Node, error) {
	selector, err := chosen.selector()
	if err != nil {
		return nil, err
	}
	var docs []*yaml.Node
	for d := yaml.NewDecoder(bytes.NewReader(text)); chosen != nil || len(docs) == 0; {
		doc := new(yaml.Node)
		if err := d.Decode(doc); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("not valid YAML: %w", err)
		}
		docs = append(docs, doc)
	}
	if len(docs) == 0 {
		return nil, errors.New("the file holds no value")
	}
	if chosen == nil {
		return docs[0], nil
	}
	i, err := selector.Choose(docs)
	if err != nil {
		return nil, err
	}
	return docs[i], nil
}

// datesAsText keeps what looks like a date as it is written.
func datesAsText(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!timestamp" || n.ShortTag() == "!!binary") {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		datesAsText(c)
	}
}

// plainYAML gives mappings keys of text and integers a type that expressions know.
func plainYAML(value any) any {
	switch v := value.(type) {
	case uint64:
		return json.Number(strconv.FormatUint(v, 10))
	case []any:
		for i := range v {
			v[i] = plainYAML(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plainYAML(v[key])
		}
	case map[any]any:
		out := make(map[string]any, len(v))
		for key, member := range v {
			if key == nil {
				key = "null"
			}
			out[fmt.Sprint(key)] = plainYAML(member)
		}
		return out
	}
	return value
}
