package step

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

type gitClear struct {
	Path string `json:"path"`
}

// mounted is a Workspace that knows where commits are mounted.
type mounted interface {
	Mounts() []promotion.Mount
}

// clearMount deletes all files of a checkout, but not those of others below it.
func clearMount(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	var cfg gitClear
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	at, err := clean(cfg.Path)
	if err != nil {
		return Outcome{}, err
	}
	c := clearer{ws: ws}
	if m, ok := ws.(mounted); ok {
		for _, mount := range m.Mounts() {
			c.mounts = append(c.mounts, path.Clean(mount.Path))
		}
		if !slices.Contains(c.mounts, at) {
			return Outcome{}, terminalf("nothing is checked out at %s, only at %s; to empty a folder, use delete", cfg.Path, strings.Join(c.mounts, ", "))
		}
	}
	if err := c.collect(ctx, at); err != nil {
		return Outcome{}, err
	}
	if err := removeAll(ctx, ws, c.gone); err != nil {
		return Outcome{}, err
	}
	if at == "." {
		at = "the root"
	}
	if len(c.gone) == 0 {
		return Outcome{Message: fmt.Sprintf("There was nothing to clear in %s.", at)}, nil
	}
	return Outcome{Message: fmt.Sprintf("Cleared %s.", at)}, nil
}

type clearer struct {
	ws     Workspace
	mounts []string
	gone   []string
}

// collect takes what stands in a folder, past the mounts in it.
func (c *clearer) collect(ctx context.Context, dir string) error {
	entries, err := c.ws.ReadDir(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its branch has no commit yet
	} else if err != nil {
		return fmt.Errorf("list %s: %w", dir, err)
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name)
		above := slices.ContainsFunc(c.mounts, func(m string) bool { return strings.HasPrefix(m, at+"/") })
		switch {
		case slices.Contains(c.mounts, at):
		case above:
			if err := c.collect(ctx, at); err != nil {
				return err
			}
		default:
			c.gone = append(c.gone, at)
		}
	}
	return nil
}
