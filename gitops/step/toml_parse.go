package step

import (
	"context"
	"encoding"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// parseTOML reads values out of a TOML file.
func parseTOML(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	return parseFile(ctx, ws, task, single(fromTOML))
}

func fromTOML(text []byte) (any, error) {
	var value map[string]any
	if err := toml.Unmarshal(text, &value); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, fmt.Errorf("not valid TOML: line %d, column %d: %w", line, column, err)
		}
		return nil, fmt.Errorf("not valid TOML: %w", err)
	}
	return plainTOML(value)
}

// plainTOML turns integers into int, and dates and times into their text.
func plainTOML(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case int64:
		return int(v), nil
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		return string(text), err
	case []any:
		for i := range v {
			if v[i], err = plainTOML(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = plainTOML(v[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}
