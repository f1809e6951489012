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

// parseYAML reads values out of the first document of a YAML file.
func parseYAML(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	return parseFile(ctx, ws, task, fromYAML)
}

func fromYAML(text []byte) (value any, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser gave up
			value, err = nil, fmt.Errorf("not valid YAML: %v", r)
		}
	}()
	var doc yaml.Node
	switch err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file holds no value")
	case err != nil:
		return nil, fmt.Errorf("not valid YAML: %w", err)
	}
	datesAsText(&doc)
	if err := doc.Decode(&value); err != nil {
		return nil, fmt.Errorf("not valid YAML: %w", err)
	}
	return plainYAML(value), nil
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
