package step

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// parseJSON reads values out of a JSON file.
func parseJSON(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	return parseFile(ctx, ws, task, single(fromJSON))
}

// fromJSON keeps the digits of numbers.
func fromJSON(text []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w (byte %d)", err, d.InputOffset())
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("not valid JSON: something follows its value (byte %d)", d.InputOffset())
	}
	return value, nil
}
