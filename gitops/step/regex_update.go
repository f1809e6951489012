package step

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
)

type regexUpdate struct {
	Path    string        `json:"path"`
	Updates []regexChange `json:"updates"`
}

type regexChange struct {
	Pattern string          `json:"pattern"`
	Value   json.RawMessage `json:"value"`
	Matches *int            `json:"matches"`
}

// updateRegex puts values in the place of what patterns match in a text file.
func updateRegex(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	var cfg regexUpdate
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	file, content, err := read(ctx, ws, cfg.Path)
	if err != nil {
		return Outcome{}, err
	}
	if err := textedit.Editable(content); err != nil {
		return Outcome{}, terminalf("%s: %w", cfg.Path, err)
	}
	edited, lines := content, []string{}
	for _, change := range cfg.Updates {
		value, err := change.text()
		if err == nil {
			edited, err = change.apply(edited, value)
		}
		if err != nil {
			return Outcome{}, terminalf("%s: the pattern %s: %w", cfg.Path, change.Pattern, err)
		}
		lines = append(lines, change.Pattern+": "+value)
	}
	return wroteUpdates(ctx, ws, cfg.Path, file, content, edited, lines)
}

// text is the value as it is written: a text as it stands, others as in JSON.
func (c regexChange) text() (string, error) {
	var s string
	switch err := json.Unmarshal(c.Value, &s); {
	case string(c.Value) == "null":
		return "", errors.New("the value is null; to take text away, set an empty one")
	case err != nil:
		return string(bytes.TrimSpace(c.Value)), nil
	}
	return s, nil
}

// apply replaces in each match the group called value, or else the first group,
// or else all of it.
func (c regexChange) apply(content []byte, value string) ([]byte, error) {
	_, err := regexp.Compile(c.Pattern) // the error shall show what was written
	var pattern *regexp.Regexp
	if err == nil {
		pattern, err = regexp.Compile("(?m)" + c.Pattern) // ^ and $ are those of lines
	}
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	group := pattern.SubexpIndex("value")
	if group < 0 {
		group = min(pattern.NumSubexp(), 1)
	}
	found := pattern.FindAllSubmatchIndex(content, -1)
	if err := c.judge(content, found, group); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	at := 0
	for _, m := range found {
		out.Write(content[at:m[2*group]])
		out.WriteString(value)
		at = m[2*group+1]
	}
	out.Write(content[at:])
	return out.Bytes(), textedit.Editable(out.Bytes())
}

// judge refuses matches that cannot be meant.
func (c regexChange) judge(content []byte, found [][]int, group int) error {
	var lines []string
	for _, m := range found {
		line := textedit.Line(content, m[0])
		switch {
		case m[0] == m[1]:
			return fmt.Errorf("it matches where nothing stands (line %d)", line)
		case m[2*group] < 0:
			return fmt.Errorf("its group, which the value is to replace, is not part of the match at line %d", line)
		}
		if len(lines) < 5 {
			lines = append(lines, fmt.Sprint(line))
		}
	}
	switch {
	case len(found) == 0 && (c.Matches == nil || *c.Matches != 0):
		return errors.New("it matches nothing")
	case c.Matches != nil && *c.Matches != len(found):
		return fmt.Errorf("it matches %s (line %s), and `matches` says %d", count(len(found), "time"), strings.Join(lines, ", "), *c.Matches)
	}
	return nil
}
