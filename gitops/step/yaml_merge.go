package step

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

type yamlMerge struct {
	InFiles            []string `json:"inFiles"`
	OutFile            string   `json:"outFile"`
	IgnoreMissingFiles bool     `json:"ignoreMissingFiles"`
}

// mergeYAML merges YAML files, each over the ones before it: mappings key by key,
// lists and single values as a whole; a null takes a key away.
func mergeYAML(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	var cfg yamlMerge
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	names, contents, err := cfg.read(ctx, ws)
	if err != nil {
		return Outcome{}, err
	}
	merged, err := mergeAll(names, contents)
	if err != nil {
		return Outcome{}, terminalf("%w", err)
	}
	file, err := fileToWrite(ctx, ws, cfg.OutFile)
	if err != nil {
		return Outcome{}, err
	}
	has, _, err := holds(ctx, ws, file, merged, 0)
	if err != nil {
		return Outcome{}, err
	}
	if !has {
		if err := ws.WriteFile(ctx, file, merged, 0); err != nil {
			return Outcome{}, fmt.Errorf("write %s: %w", file, err)
		}
	}
	commit := fmt.Sprintf("Wrote %s to %s", names[0], cfg.OutFile)
	if len(names) > 1 {
		commit = fmt.Sprintf("Merged %d YAML files to %s\n- %s", len(names), cfg.OutFile, strings.Join(names, "\n- "))
	}
	message := fmt.Sprintf("Merged %s to %s.", shorten(strings.Join(names, ", ")), cfg.OutFile)
	return Outcome{Output: Texts(map[string]string{"commitMessage": commit}), Message: message}, nil
}

// read reads the files that there are.
func (cfg yamlMerge) read(ctx context.Context, ws Workspace) (names []string, contents [][]byte, err error) {
	for _, p := range cfg.InFiles {
		there := true
		if cfg.IgnoreMissingFiles {
			if there, err = exists(ctx, ws, p); err != nil {
				return nil, nil, err
			}
		}
		if !there {
			continue
		}
		_, content, err := read(ctx, ws, p)
		if err != nil {
			return nil, nil, err
		}
		names, contents = append(names, p), append(contents, content)
	}
	if len(names) == 0 {
		return nil, nil, terminalf("none of the files %s is there, so there is nothing to merge", strings.Join(cfg.InFiles, ", "))
	}
	return names, contents, nil
}

func exists(ctx context.Context, ws Workspace, p string) (bool, error) {
	at, err := clean(p)
	if err == nil {
		at, err = resolve(ctx, ws, at, true)
	}
	if err != nil {
		return false, err
	}
	if _, err = ws.Stat(ctx, at); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("look at %s: %w", at, err)
	}
	return true, nil
}

// mergeAll merges the contents, in their order. A single one stays to the byte.
func mergeAll(names []string, contents [][]byte) ([]byte, error) {
	base := &tree{}
	for i, content := range contents {
		over, err := readTree(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
		base.merge(over)
	}
	if len(contents) == 1 {
		return bytes.Clone(contents[0]), nil
	}
	return base.bytes()
}
