package step

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// glob returns what a pattern matches, sorted. It lists only the folders that
// the pattern leads into, as each listing is something that the step depends on.
// Links are matched, never followed, but for those in front of the first *.
func glob(ctx context.Context, ws Workspace, pattern string) ([]string, error) {
	if !doublestar.ValidatePattern(pattern) {
		return nil, terminalf("the pattern %q cannot be read: a bracket or brace is not closed", pattern)
	}
	base, rest := doublestar.SplitPattern(strings.TrimSuffix(pattern, "/"))
	if slashInBraces(rest) {
		return nil, terminalf("the pattern %s has a slash between braces; write a pattern for each", pattern)
	}
	if slices.Contains(strings.Split(rest, "/"), "..") {
		return nil, terminalf("the pattern %s has .. behind a *; write it without", pattern)
	}
	for part := range strings.SplitSeq(rest, "/") {
		if !doublestar.ValidatePattern(part) {
			return nil, terminalf("the pattern %s has a slash between brackets, which matches nothing; write a pattern for each", pattern)
		}
	}
	from, err := clean(base)
	if err == nil {
		from, err = resolve(ctx, ws, from, true)
	}
	if err != nil {
		return nil, err
	}
	g := globber{ws: ws, found: map[string]bool{}}
	if err := g.match(ctx, from, strings.Split(path.Clean(rest), "/")); err != nil {
		return nil, err
	}
	out := make([]string, 0, len(g.found))
	for p := range g.found {
		out = append(out, p)
	}
	slices.Sort(out)
	return out, nil
}

func slashInBraces(pattern string) bool {
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case '/':
			if depth > 0 {
				return true
			}
		}
	}
	return false
}

type globber struct {
	ws    Workspace
	found map[string]bool
}

// match looks in a folder for what the parts of a pattern match.
func (g *globber) match(ctx context.Context, dir string, parts []string) error {
	if parts[0] == "**" && len(parts) > 1 {
		if err := g.match(ctx, dir, parts[1:]); err != nil {
			return err
		}
	}
	entries, err := g.ws.ReadDir(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		if entry, statErr := g.ws.Stat(ctx, dir); statErr == nil && entry.Mode != ModeFolder {
			return nil // a file has nothing below it
		}
		return fmt.Errorf("list %s: %w", dir, err)
	}
	for _, e := range entries {
		if err := g.entry(ctx, path.Join(dir, e.Name), e, parts); err != nil {
			return err
		}
	}
	return nil
}

// entry takes what stands in a folder if the first part matches it, or goes on below it.
func (g *globber) entry(ctx context.Context, at string, e Entry, parts []string) error {
	below := parts[1:]
	if parts[0] == "**" {
		below = parts
	} else if ok, err := doublestar.Match(parts[0], e.Name); err != nil || !ok {
		return err
	}
	switch {
	case len(parts) == 1:
		g.found[at] = true
		return nil
	case e.Mode != ModeFolder || g.found[at]:
		return nil
	}
	return g.match(ctx, at, slices.Clone(below))
}
