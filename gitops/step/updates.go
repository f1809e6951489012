package step

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

type updatesConfig struct {
	Path    string `json:"path"`
	Updates []struct {
		Key    string          `json:"key"`
		Value  json.RawMessage `json:"value"`
		Create *bool           `json:"create"`
	} `json:"updates"`
}

// editor is a file open for edits.
type editor interface {
	Set(yamledit.Path, json.RawMessage) error // what is there
	Add(yamledit.Path, json.RawMessage) error // also what is not
	Bytes() []byte
}

// format is what the steps that set values in files differ in.
type format struct {
	parse   func([]byte) (editor, error)
	text    func(json.RawMessage) string // a value in the commit message
	creates bool                         // what `create` is when it is not given
}

// updateFile sets values of a file.
func updateFile(ctx context.Context, ws Workspace, task Task, f format) (Outcome, error) {
	var cfg updatesConfig
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	file, content, err := read(ctx, ws, cfg.Path)
	if err != nil {
		return Outcome{}, err
	}
	edited, lines, err := cfg.apply(content, f)
	if err != nil {
		return Outcome{}, terminalf("%s: %w", cfg.Path, err)
	}
	return wroteUpdates(ctx, ws, cfg.Path, file, content, edited, lines)
}

// apply makes the changes in their order, and says each as "key: value".
func (cfg updatesConfig) apply(content []byte, f format) (edited []byte, lines []string, err error) {
	file, err := f.parse(content)
	if err != nil {
		return nil, nil, err
	}
	for _, change := range cfg.Updates {
		path, err := yamledit.ParseKey(change.Key)
		if err != nil {
			return nil, nil, err
		}
		set := file.Set
		if change.Create == nil && f.creates || change.Create != nil && *change.Create {
			set = file.Add
		}
		if err := set(path, change.Value); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", change.Key, err)
		}
		lines = append(lines, change.Key+": "+f.text(change.Value))
	}
	return file.Bytes(), lines, nil
}

// wroteUpdates writes the edited text if it differs, and says what was set.
func wroteUpdates(ctx context.Context, ws Workspace, path, file string, content, edited []byte, lines []string) (Outcome, error) {
	message := fmt.Sprintf("%s holds these values already.", path)
	if !bytes.Equal(content, edited) {
		if err := ws.WriteFile(ctx, file, edited, 0); err != nil {
			return Outcome{}, fmt.Errorf("write %s: %w", file, err)
		}
		message = fmt.Sprintf("Set %s in %s.", shorten(strings.Join(lines, ", ")), path)
	}
	commit := fmt.Sprintf("Updated %s\n\n- %s", path, strings.Join(lines, "\n- "))
	return Outcome{Output: Texts(map[string]string{"commitMessage": commit}), Message: message}, nil
}
