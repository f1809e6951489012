package step

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

type deleteConfig struct {
	Path          string   `json:"path"`
	Paths         []string `json:"paths"`
	PathsAreGlobs bool     `json:"pathsAreGlobs"`
	Strict        bool     `json:"strict"`
}

// runDelete deletes files, links (never what they lead to) and folders.
func runDelete(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	var cfg deleteConfig
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	if cfg.Path != "" {
		cfg.Paths = []string{cfg.Path}
	}
	find := standing
	if cfg.PathsAreGlobs {
		find = glob
	}
	var gone []string
	for _, p := range cfg.Paths {
		found, err := find(ctx, ws, p)
		switch {
		case err != nil:
			return Outcome{}, err
		case len(found) == 0 && cfg.Strict && cfg.PathsAreGlobs:
			return Outcome{}, terminalf("the pattern %s matches nothing; without `strict` that is fine", p)
		case len(found) == 0 && cfg.Strict:
			return Outcome{}, terminalf("there is nothing to delete at %s%s; without `strict` that is fine", p, neighbour(ctx, ws, path.Clean(p)))
		}
		gone = append(gone, found...)
	}
	gone = outermost(gone)
	if err := removeAll(ctx, ws, gone); err != nil {
		return Outcome{}, err
	}
	if len(gone) == 0 {
		return Outcome{Message: "There was nothing to delete."}, nil
	}
	return Outcome{Message: fmt.Sprintf("Deleted %s.", shorten(strings.Join(gone, ", ")))}, nil
}

// standing returns where the file or folder that p names stands, or nothing.
func standing(ctx context.Context, ws Workspace, p string) ([]string, error) {
	at, err := clean(p)
	if err != nil {
		return nil, err
	}
	if at == "." {
		return nil, terminalf("the root cannot be deleted; git-clear empties it")
	}
	if at, err = resolve(ctx, ws, at, false); err != nil {
		return nil, err
	}
	switch _, err := ws.Stat(ctx, at); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", at, err)
	}
	return []string{at}, nil
}

// outermost sorts paths and leaves out what stands below another one of them.
func outermost(paths []string) []string {
	slices.Sort(paths)
	var out []string
	for _, p := range slices.Compact(paths) {
		if !slices.ContainsFunc(out, func(folder string) bool { return strings.HasPrefix(p, folder+"/") }) {
			out = append(out, p)
		}
	}
	return out
}

func removeAll(ctx context.Context, ws Workspace, paths []string) error {
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := ws.Remove(ctx, p); err != nil {
			return fmt.Errorf("delete %s: %w", p, err)
		}
	}
	return nil
}
