package step

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

type fileWrite struct {
	Path        string `json:"path"`
	Contents    string `json:"contents"`
	Overwrite   bool   `json:"overwrite"`
	Permissions string `json:"permissions"`
}

// writeFile writes a whole file. One that holds the contents already is left alone.
func writeFile(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	var cfg fileWrite
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	mode := uint32(0) // as it is
	if cfg.Permissions != "" {
		mode = ModeFile
	}
	file, err := fileToWrite(ctx, ws, cfg.Path)
	if err != nil {
		return Outcome{}, err
	}
	has, old, err := holds(ctx, ws, file, []byte(cfg.Contents), mode)
	switch {
	case err != nil:
		return Outcome{}, err
	case has:
		return Outcome{Message: fmt.Sprintf("%s holds these contents already.", cfg.Path)}, nil
	case old && !cfg.Overwrite:
		return Outcome{}, terminalf("there is a file %s already; set `overwrite: true` to replace it", cfg.Path)
	}
	if err := ws.WriteFile(ctx, file, []byte(cfg.Contents), mode); err != nil {
		return Outcome{}, fmt.Errorf("write %s: %w", file, err)
	}
	return Outcome{Message: fmt.Sprintf("Wrote %s (%s).", cfg.Path, count(len(cfg.Contents), "byte"))}, nil
}

// fileToWrite finds where the file that a config's path names is to stand, links followed.
func fileToWrite(ctx context.Context, ws Workspace, p string) (string, error) {
	file, err := clean(p)
	if err == nil {
		file, err = resolve(ctx, ws, file, true)
	}
	if err != nil {
		return "", err
	}
	for part := range strings.SplitSeq(file, "/") {
		if strings.EqualFold(part, ".git") {
			return "", terminalf("git keeps its own files in .git; %s cannot be written", p)
		}
	}
	return file, vacant(ctx, ws, file, "written")
}

// holds reports whether a file has that content and mode, and whether there is one at all.
func holds(ctx context.Context, ws Workspace, file string, content []byte, mode uint32) (same, there bool, err error) {
	entry, err := ws.Stat(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	} else if err != nil {
		return false, false, fmt.Errorf("look at %s: %w", file, err)
	}
	old, err := ws.ReadFile(ctx, file)
	if err != nil {
		return false, true, fmt.Errorf("read %s: %w", file, err)
	}
	return bytes.Equal(old, content) && (mode == 0 || mode == entry.Mode), true, nil
}
