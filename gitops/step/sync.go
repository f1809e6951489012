package step

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// syncFolders makes a folder what another one is: files are written where they
// differ and deleted where they are gone. What is ignored stays on both sides.
func syncFolders(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	var cfg copyConfig
	if err := decode(task, &cfg); err != nil {
		return Outcome{}, err
	}
	s := syncer{copier: copier{ws: ws, cfg: cfg, ignore: ignoreRules(cfg.Ignore), over: true}, wanted: map[string]bool{}, folders: map[string]bool{}}
	if err := s.plan(ctx); err != nil {
		return Outcome{}, err
	}
	if err := removeAll(ctx, ws, s.gone); err != nil {
		return Outcome{}, err
	}
	if err := s.write(ctx); err != nil {
		return Outcome{}, err
	}
	output := Texts(map[string]string{"commitMessage": fmt.Sprintf("Synced %s with %s", cfg.OutPath, cfg.InPath)})
	if len(s.files)+len(s.gone) == 0 {
		return Outcome{Output: output, Message: fmt.Sprintf("%s is as %s already.", cfg.OutPath, cfg.InPath)}, nil
	}
	return Outcome{Output: output, Message: fmt.Sprintf("Synced %s with %s (%s written, %s deleted).", cfg.OutPath, cfg.InPath, count(len(s.files), "file"), count(len(s.gone), "path"))}, nil
}

// syncer finds out what a sync writes and deletes, before it does.
type syncer struct {
	copier
	wanted  map[string]bool // the files that there shall be
	folders map[string]bool // the folders above them
	gone    []string        // what is to be deleted
}

func (s *syncer) plan(ctx context.Context) error {
	if err := s.collect(ctx); err != nil {
		return err
	}
	switch entry, err := s.ws.Stat(ctx, s.in); {
	case err != nil:
		return fmt.Errorf("look at %s: %w", s.in, err)
	case entry.Mode != ModeFolder:
		return terminalf("%s is not a folder; to copy a file, use copy", s.cfg.InPath)
	case len(s.files) == 0:
		return terminalf("%s holds nothing that is not ignored, so all of %s would go: if that is meant, use delete", s.cfg.InPath, s.cfg.OutPath)
	case s.out == "." || strings.HasPrefix(s.in, s.out+"/"):
		return terminalf("inPath %s is inside outPath %s, and would be deleted with what is gone", s.cfg.InPath, s.cfg.OutPath)
	}
	for _, f := range s.files {
		s.wanted[f.path] = true
		for dir := path.Dir(f.path); dir != "."; dir = path.Dir(dir) {
			s.folders[dir] = true
		}
	}
	if _, err := s.ws.Stat(ctx, s.out); errors.Is(err, fs.ErrNotExist) {
		return vacant(ctx, s.ws, s.files[0].path, "written") // all of them have the same folders above outPath
	} else if err != nil {
		return fmt.Errorf("look at %s: %w", s.out, err)
	}
	gone, _, err := s.surplus(ctx, nil)
	if s.gone = gone; err != nil {
		return err
	}
	return s.changed(ctx)
}

// surplus lists what goes at rel below outPath; all: nothing stays there.
func (s *syncer) surplus(ctx context.Context, rel []string) (gone []string, all bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	dir := path.Join(append([]string{s.out}, rel...)...)
	entries, err := s.ws.ReadDir(ctx, dir)
	if err != nil {
		return nil, false, fmt.Errorf("list %s: %w", dir, err)
	}
	all = true
	for _, e := range entries {
		goes, whole, err := s.entry(ctx, append(rel[:len(rel):len(rel)], e.Name), path.Join(dir, e.Name), e)
		if err != nil {
			return nil, false, err
		}
		gone, all = append(gone, goes...), all && whole
	}
	return gone, all, nil
}

func (s *syncer) entry(ctx context.Context, rel []string, at string, e Entry) (gone []string, all bool, err error) {
	folder := e.Mode == ModeFolder
	switch ignored := s.ignore.Match(rel, folder); {
	case ignored && (folder && s.wanted[at] || !folder && s.folders[at]):
		return nil, false, inTheWay(at)
	case ignored, !folder && s.wanted[at]:
		return nil, false, nil
	case !folder:
		return []string{at}, true, nil
	}
	gone, all, err = s.surplus(ctx, rel)
	switch {
	case err == nil && all:
		return []string{at}, true, nil
	case err == nil && s.wanted[at]:
		return nil, false, inTheWay(at)
	}
	return gone, all, err
}

func inTheWay(at string) error {
	return terminalf("%s is ignored, or holds what is, and stands in the way of what is to be written there: move it, or change `ignore`", at)
}

// changed leaves only those files that differ from what stands there.
func (s *syncer) changed(ctx context.Context) error {
	var files []copied
	for _, f := range s.files {
		entry, err := s.ws.Stat(ctx, f.path)
		if err == nil && entry.Mode == f.mode {
			same := f.id != "" && f.id == entry.ID
			if f.id == "" {
				if same, _, err = holds(ctx, s.ws, f.path, f.content, f.mode); err != nil {
					return err
				}
			}
			if same {
				continue
			}
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) && !s.blocked(f.path) {
			return fmt.Errorf("look at %s: %w", f.path, err)
		}
		files = append(files, f)
	}
	s.files = files
	return nil
}

// blocked reports whether something that goes stands above p.
func (s *syncer) blocked(p string) bool {
	for _, gone := range s.gone {
		if strings.HasPrefix(p, gone+"/") {
			return true
		}
	}
	return false
}
