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
		Name           string        `json:"name"`
		FromExpression string        `json:"fromExpression"`
		Document       *yamlDocument `json:"document"`
	} `json:"outputs"`
}

// parser turns a text, or the document of it that was chosen, into what
// expr.NewDocument takes.
type parser func(text []byte, chosen *yamlDocument) (any, error)

// single is the parser of a format whose files hold one document.
func single(parse func([]byte) (any, error)) parser {
	return func(text []byte, _ *yamlDocument) (any, error) { return parse(text) }
}

// parseFile reads values out of a file.
func parseFile(ctx context.Context, ws Workspace, task Task, parse parser) (Outcome, error) {
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

func (cfg parseConfig) extract(content []byte, parse parser) (map[string]json.RawMessage, error) {
	text, err := parseable(content)
	if err != nil {
		return nil, err
	}
	documents := map[string]*expr.Document{}
	output := map[string]json.RawMessage{}
	for _, o := range cfg.Outputs {
		if _, twice := output[o.Name]; twice {
			return nil, fmt.Errorf("outputs has the name %s twice", o.Name)
		}
		document := documents[o.Document.key()]
		if document == nil {
			value, err := parse(text, o.Document)
			if err != nil {
				return nil, err
			}
			document = expr.NewDocument(value)
			documents[o.Document.key()] = document
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
