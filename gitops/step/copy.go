package step

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

type copyConfig struct {
	InPath  string `json:"inPath"`
	OutPath string `json:"outPath"`
	Ignore  string `json:"ignore"`
}

// copied is a file or link that a copy writes.
type copied struct {
	path    string
	content []byte // unless id is given
	id      string
	mode    uint32
}

func (f copied) write(ctx context.Context, ws Workspace) error {
	var err error
	if f.id != "" {
		err = ws.(placer).Place(ctx, f.path, f.id, f.mode)
	} else {
		err = ws.WriteFile(ctx, f.path, f.content, f.mode)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}

// runCopy copies a file, or the content of a folder over what is there.
func runCopy(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	var cfg copyConfig
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	c := copier{ws: ws, cfg: cfg, ignore: ignoreRules(cfg.Ignore)}
	if err := c.collect(ctx); err != nil {
		return Outcome{}, err
	}
	if err := c.write(ctx); err != nil {
		return Outcome{}, err
	}
	return Outcome{Message: fmt.Sprintf("Copied %s to %s (%s).", cfg.InPath, cfg.OutPath, count(len(c.files), "file"))}, nil
}

// write writes all files.
func (c *copier) write(ctx context.Context) error {
	var ids []string
	for _, f := range c.files {
		if f.id != "" {
			ids = append(ids, f.id)
		}
	}
	if len(ids) > 0 {
		if err := c.ws.(placer).Gather(ctx, ids...); err != nil {
			return fmt.Errorf("read what stands at %s: %w", c.in, err)
		}
	}
	for _, f := range c.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.write(ctx, c.ws); err != nil {
			return err
		}
	}
	return nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ignoreRules reads patterns as in .gitignore. The .git folder is ignored unless
// a pattern includes it.
func ignoreRules(text string) gitignore.Matcher {
	patterns := []gitignore.Pattern{gitignore.ParsePattern(".git", nil)}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			patterns = append(patterns, gitignore.ParsePattern(line, nil))
		}
	}
	return gitignore.NewMatcher(patterns)
}

// copier finds out what a copy writes, before it writes.
type copier struct {
	ws      Workspace
	cfg     copyConfig
	ignore  gitignore.Matcher
	over    bool   // what stands where a file goes is seen to by others
	in, out string // where they really stand
	files   []copied
}

func (c *copier) collect(ctx context.Context) error {
	entry, err := c.locate(ctx)
	if err != nil {
		return err
	}
	if entry.Mode != ModeFolder {
		return c.file(ctx, c.in, c.out, entry)
	}
	if there, err := c.ws.Stat(ctx, c.out); err == nil && there.Mode != ModeFolder {
		return terminalf("%s is a folder and %s a file: give the folder another outPath", c.cfg.InPath, c.cfg.OutPath)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look at %s: %w", c.out, err)
	}
	return c.folder(ctx, nil)
}

// locate finds both ends and describes what is to be copied.
func (c *copier) locate(ctx context.Context) (entry Entry, err error) {
	slash := strings.HasSuffix(c.cfg.InPath, "/") // "link/" is what the link leads to
	if c.in, err = clean(c.cfg.InPath); err == nil {
		c.in, err = resolve(ctx, c.ws, c.in, slash)
	}
	if err != nil {
		return Entry{}, err
	}
	entry, err = c.ws.Stat(ctx, c.in)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, terminalf("there is nothing to copy at %s%s", c.cfg.InPath, neighbour(ctx, c.ws, c.in))
	} else if err != nil {
		return Entry{}, fmt.Errorf("look at %s: %w", c.in, err)
	}
	if c.out, err = clean(c.cfg.OutPath); err == nil {
		c.out, err = resolve(ctx, c.ws, c.out, entry.Mode != ModeLink) // a link takes the place of a link
	}
	if err == nil && c.in == c.out {
		err = terminalf("inPath and outPath are the same: %s", c.in)
	}
	return entry, err
}

// folder collects what stands at rel below the folder that is copied.
func (c *copier) folder(ctx context.Context, rel []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	from := path.Join(append([]string{c.in}, rel...)...)
	entries, err := c.ws.ReadDir(ctx, from)
	if err != nil {
		return fmt.Errorf("list %s: %w", from, err)
	}
	for _, e := range entries {
		at := append(rel[:len(rel):len(rel)], e.Name)
		if c.ignore.Match(at, e.Mode == ModeFolder) {
			continue
		}
		if path.Join(from, e.Name) == c.out {
			return terminalf("outPath %s is inside inPath %s: add it to `ignore`", c.cfg.OutPath, c.cfg.InPath)
		}
		if e.Mode == ModeFolder {
			err = c.folder(ctx, at)
		} else {
			err = c.file(ctx, path.Join(from, e.Name), path.Join(append([]string{c.out}, at...)...), e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file collects one file or link.
func (c *copier) file(ctx context.Context, from, to string, e Entry) error {
	if e.Mode == ModeSubmodule {
		return terminalf("%s is a submodule, which cannot be copied: add it to `ignore`", from)
	}
	if !c.over {
		if err := vacant(ctx, c.ws, to, "copied"); err != nil {
			return err
		}
	}
	f := copied{path: to, mode: e.Mode}
	if _, places := c.ws.(placer); places {
		f.id = e.ID
	}
	if f.id == "" {
		var err error
		if f.content, err = c.ws.ReadFile(ctx, from); err != nil {
			return fmt.Errorf("read %s: %w", from, err)
		}
	}
	c.files = append(c.files, f)
	return nil
}
