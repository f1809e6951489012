package step

import (
	"context"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

type yamlUpdate struct {
	Path    string       `json:"path"`
	Updates []yamlChange `json:"updates"`
}

type yamlChange struct {
	Key      string          `json:"key"`
	Value    json.RawMessage `json:"value"`
	Create   bool            `json:"create"`
	Document *yamlDocument   `json:"document"`
}

// updateYAML sets values of a YAML file.
func updateYAML(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	var cfg yamlUpdate
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	file, content, err := read(ctx, ws, cfg.Path)
	if err != nil {
		return Outcome{}, err
	}
	edited, lines, err := applyYAML(content, cfg.Updates)
	if err != nil {
		return Outcome{}, terminalf("%s: %w", cfg.Path, err)
	}
	return wroteUpdates(ctx, ws, cfg.Path, file, content, edited, lines)
}

// applyYAML makes the changes in their order, and says each as "key: value".
func applyYAML(content []byte, changes []yamlChange) (edited []byte, lines []string, err error) {
	file, err := yamledit.Parse(content)
	if err != nil {
		return nil, nil, err
	}
	for _, change := range changes {
		value, err := applyChange(file, change)
		if err != nil {
			return nil, nil, err
		}
		lines = append(lines, change.Key+": "+yamledit.Text(value))
	}
	return file.Bytes(), lines, nil
}

func applyChange(file *yamledit.File, change yamlChange) (*yaml.Node, error) {
	path, err := yamledit.ParseKey(change.Key)
	if err != nil {
		return nil, err
	}
	value, err := yamledit.FromJSON(change.Value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", change.Key, err)
	}
	document, err := change.Document.selector()
	if err == nil {
		err = file.Only(document)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", change.Key, err)
	case change.Create:
		return value, file.Add(path, value)
	}
	return value, file.Set(path, value)
}

// shorten cuts a text for a message that stands on one line.
func shorten(text string) string {
	const most = 200
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
