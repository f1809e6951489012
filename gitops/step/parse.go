package step

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
	"github.com/stagecoach-app/stagecoach/promotion/expr"
)

type parseConfig struct {
	Path    string `json:"path"`
	Outputs []struct {
		Name           string `json:"name"`
		FromExpression string `json:"fromExpression"`
	} `json:"outputs"`
}

// parseFile reads values out of a file. parse turns its text into what
// expr.NewDocument takes.
func parseFile(ctx context.Context, ws Workspace, task Task, parse func([]byte) (any, error)) (Outcome, error) {
	var cfg parseConfig
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	_, content, err := read(ctx, ws, cfg.Path)
	if err != nil {
		return Outcome{}, err
	}
	output, err := cfg.extract(content, parse)
	if err != nil {
		return Outcome{}, terminalf("%s: %w", cfg.Path, err)
	}
	names := make([]string, len(cfg.Outputs))
	for i, o := range cfg.Outputs {
		names[i] = o.Name
	}
	return Outcome{Output: output, Message: fmt.Sprintf("Read %s from %s.", shorten(strings.Join(names, ", ")), cfg.Path)}, nil
}

func (cfg parseConfig) extract(content []byte, parse func([]byte) (any, error)) (map[string]json.RawMessage, error) {
	text, err := parseable(content)
	if err != nil {
		return nil, err
	}
	value, err := parse(text)
	if err != nil {
		return nil, err
	}
	document := expr.NewDocument(value)
	output := map[string]json.RawMessage{}
	for _, o := range cfg.Outputs {
		if _, twice := output[o.Name]; twice {
			return nil, fmt.Errorf("outputs has the name %s twice", o.Name)
		}
		if output[o.Name], err = document.Value(o.FromExpression); err != nil {
			return nil, fmt.Errorf("the output %s: %w", o.Name, err)
		}
	}
	return output, nil
}

var bom = []byte("\ufeff")

// parseable refuses what is no text, and takes off a byte order mark.
func parseable(content []byte) ([]byte, error) {
	switch {
	case len(content) > yamledit.MaxSize:
		return nil, fmt.Errorf("the file has %d bytes; files over %d are not read", len(content), yamledit.MaxSize)
	case bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content):
		return nil, errors.New("the file is not UTF-8 text")
	case len(bytes.TrimSpace(content)) == 0:
		return nil, errors.New("the file is empty")
	}
	return bytes.TrimPrefix(content, bom), nil
}
