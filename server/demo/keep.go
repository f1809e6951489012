package demo

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// memoryVersion is that of the files in a kept directory.
const memoryVersion = 1

// memory is what a kept directory holds besides the server's data and the
// simulator's git repositories: demo.json, and in github.json all that the
// simulator keeps in memory. Both hold secrets, of nothing but the demo.
type memory struct {
	Version int                 `json:"version"`
	Repo    int64               `json:"repository"` // 0: the directory is new
	App     ghsim.RegisteredApp `json:"app"`
	Secret  string              `json:"webhookSecret"`
	Addr    string              `json:"address"` // of the simulator
	Sample  bool                `json:"sample"`
	github  string              // path of github.json
}

// recall reads a kept directory. An empty one is a new demo; one that holds
// something else is refused, so that nothing of the user's is touched.
func (w *world) recall(opts Options) error {
	w.kept.github = filepath.Join(w.dir, "github.json")
	raw, err := os.ReadFile(filepath.Join(w.dir, "demo.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return mustBeEmpty(w.dir)
	}
	if err != nil {
		return fmt.Errorf("read what the directory keeps: %w", err)
	}
	if err := json.Unmarshal(raw, &w.kept); err != nil {
		return fmt.Errorf("demo.json in %s cannot be read (%w): choose another directory for --keep", w.dir, err)
	}
	if w.kept.Version != memoryVersion {
		return fmt.Errorf("%s was kept by another version of stagecoach: choose another directory for --keep", w.dir)
	}
	if opts.Repo != "" {
		return fmt.Errorf("%s holds a demo already, which goes on: leave --repo away, or choose another directory for --keep", w.dir)
	}
	return nil
}

func mustBeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look into the directory to keep: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty and holds no demo: choose another directory for --keep", dir)
	}
	return nil
}

// restore makes the simulator as it was kept, or a new one.
func (m *memory) restore(opts ghsim.Options) (*ghsim.Sim, error) {
	if m.Repo == 0 {
		return ghsim.New(opts)
	}
	f, err := os.Open(m.github)
	if err != nil {
		return nil, fmt.Errorf("read what the simulated GitHub was: %w", err)
	}
	defer func() { _ = f.Close() }()
	return ghsim.Restore(opts, f)
}

// remember writes what the next demo in this directory needs. Both files are
// replaced whole, demo.json last: without it the directory is no demo. It is
// called at each rest, so that a demo that is killed loses little.
func (w *world) remember() error {
	if !w.keep {
		return nil
	}
	err := replace(w.kept.github, func(f *os.File) error { return w.sim.Save(f) })
	if err != nil {
		return fmt.Errorf("keep the simulated GitHub: %w", err)
	}
	w.kept.Version, w.kept.Repo, w.kept.App, w.kept.Addr = memoryVersion, w.repo.ID, w.app, w.listener.Addr().String()
	err = replace(filepath.Join(w.dir, "demo.json"), func(f *os.File) error { return json.NewEncoder(f).Encode(w.kept) })
	if err != nil {
		return fmt.Errorf("keep the demo: %w", err)
	}
	return nil
}

func replace(path string, write func(*os.File) error) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// secret is one that nobody can guess.
func secret() string { return rand.Text() }
