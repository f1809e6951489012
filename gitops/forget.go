package gitops

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Forget removes a repository's clone from memory and disk. Calls under way on it
// may fail with ErrClosed; a later one begins with an empty clone.
func (e *Engine) Forget(id int64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var failed error
	if c := e.clones[id]; c != nil {
		failed = c.close()
		delete(e.clones, id)
	}
	delete(e.shelf, id)
	if err := errors.Join(failed, os.RemoveAll(e.cloneDir(id))); err != nil {
		return fmt.Errorf("remove the clone of repository %d: %w", id, err)
	}
	return nil
}

// Unused lists the repositories whose clones on disk nothing was written to since a
// time, by the ID in their name.
func (e *Engine) Unused(since time.Time) ([]int64, error) {
	entries, err := os.ReadDir(e.dir)
	if err != nil {
		return nil, fmt.Errorf("list the clones: %w", err)
	}
	var out []int64
	for _, entry := range entries {
		name, isClone := strings.CutSuffix(entry.Name(), ".git")
		id, err := strconv.ParseInt(name, 10, 64)
		if !isClone || err != nil {
			continue
		}
		if info, err := entry.Info(); err == nil && info.ModTime().Before(since) {
			out = append(out, id)
		}
	}
	return out, nil
}

func (e *Engine) cloneDir(id int64) string {
	return filepath.Join(e.dir, strconv.FormatInt(id, 10)+".git")
}
