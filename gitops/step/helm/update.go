package helm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	"sigs.k8s.io/yaml"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

func init() { step.Register("helm-update-chart", update) }

type updateConfig struct {
	Path   string        `json:"path"`
	Charts []chartUpdate `json:"charts"`
}

type chartUpdate struct {
	Repository string `json:"repository"`
	Name       string `json:"name"`
	Alias      string `json:"alias"` // empty: any
	Version    string `json:"version"`
}

// update sets versions of a chart's dependencies and does what
// `helm dependency update` does: gets their archives, and writes the lock.
func update(ctx context.Context, ws step.Workspace, task step.Task) (step.Outcome, error) {
	var cfg updateConfig
	if err := step.Decode(task, &cfg); err != nil {
		return step.Outcome{}, err
	}
	if cfg.Charts != nil && len(cfg.Charts) == 0 {
		return step.Outcome{}, step.Refuse("the config of helm-update-chart is wrong: charts is empty; leave it out to take the newest versions that Chart.yaml allows")
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	dir, file, content, err := cfg.open(ctx, ws)
	if err != nil {
		return step.Outcome{}, err
	}
	edited, meta, err := cfg.edit(content)
	if err != nil {
		return step.Outcome{}, step.Refuse("%s: %w", file, err)
	}
	deps, err := resolveAll(ctx, newFetcher(ws, dir, task.Remote), meta)
	if err != nil {
		return step.Outcome{}, err
	}
	lock, before, err := lockFile(ctx, ws, dir, task, meta.Dependencies, deps)
	if err != nil {
		return step.Outcome{}, err
	}
	files := []step.Rendered{{Path: file, Content: edited}, {Path: path.Join(dir, "Chart.lock"), Content: lock}}
	changed, err := write(ctx, ws, dir, files, deps)
	if err != nil {
		return step.Outcome{}, err
	}
	return cfg.outcome(changed, before, deps)
}

// open finds the chart's Chart.yaml.
func (cfg updateConfig) open(ctx context.Context, ws step.Workspace) (dir, file string, content []byte, err error) {
	dir, entry, err := step.Locate(ctx, ws, cfg.Path)
	switch {
	case err != nil:
		return "", "", nil, err
	case entry.Mode != step.ModeFolder:
		return "", "", nil, step.Refuse("%s is not a folder; `path` names the folder of the chart", cfg.Path)
	}
	file, content, err = step.Read(ctx, ws, path.Join(dir, "Chart.yaml"))
	return dir, file, content, err
}

// edit sets the versions, every other byte stays, and reads what Chart.yaml says then.
func (cfg updateConfig) edit(content []byte) ([]byte, *chart.Metadata, error) {
	file, err := yamledit.Parse(content)
	if err != nil {
		return nil, nil, err
	}
	meta := new(chart.Metadata)
	if err := yaml.Unmarshal(content, meta); err != nil {
		return nil, nil, err
	}
	if len(meta.Dependencies) == 0 {
		return nil, nil, errors.New("it has no `dependencies`")
	}
	for _, change := range cfg.Charts {
		if !slices.ContainsFunc(meta.Dependencies, change.matches) {
			return nil, nil, fmt.Errorf("none of its dependencies is %s; it has %s", change, listed(meta.Dependencies))
		}
		for i, dep := range meta.Dependencies {
			if !change.matches(dep) {
				continue
			}
			if err := file.Add(yamledit.Path{"dependencies", strconv.Itoa(i), "version"}, yamledit.String(change.Version)); err != nil {
				return nil, nil, err
			}
			dep.Version = change.Version
		}
	}
	return file.Bytes(), meta, nil
}

func (c chartUpdate) matches(dep *chart.Dependency) bool {
	same := func(a, b string) bool {
		return strings.EqualFold(strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/"))
	}
	return dep != nil && dep.Name == c.Name && same(dep.Repository, c.Repository) && (c.Alias == "" || dep.Alias == c.Alias)
}

func (c chartUpdate) String() string {
	if c.Alias != "" {
		return c.Name + " from " + c.Repository + " as " + c.Alias
	}
	return c.Name + " from " + c.Repository
}

func listed(deps []*chart.Dependency) string {
	var names []string
	for _, d := range deps {
		if d != nil {
			names = append(names, chartUpdate{Name: d.Name, Repository: d.Repository, Alias: d.Alias}.String())
		}
	}
	return strings.Join(names, ", ")
}

func resolveAll(ctx context.Context, f *fetcher, meta *chart.Metadata) ([]resolved, error) {
	var deps []resolved
	for _, dep := range meta.Dependencies {
		if dep == nil {
			return nil, step.Refuse("%s/Chart.yaml has an empty dependency", f.dir)
		}
		got, err := f.resolve(ctx, dep)
		if err != nil {
			return nil, err
		}
		deps = append(deps, got)
	}
	return deps, nil
}

// write writes the files and archives, and takes archives away that are no
// longer meant, as Helm does: it would load them too.
func write(ctx context.Context, ws step.Workspace, dir string, files []step.Rendered, deps []resolved) (changed int, err error) {
	wanted := map[string]bool{}
	for _, d := range deps {
		if d.archive != nil && !wanted[d.file()] {
			wanted[d.file()] = true
			files = append(files, step.Rendered{Path: path.Join(dir, d.file()), Content: d.archive})
		}
	}
	entries, err := ws.ReadDir(ctx, path.Join(dir, "charts"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("list %s: %w", path.Join(dir, "charts"), err)
	}
	if changed, err = step.WriteAll(ctx, ws, files); err != nil {
		return 0, err
	}
	for _, e := range entries {
		if name := "charts/" + e.Name; e.Mode != step.ModeFolder && strings.HasSuffix(name, ".tgz") && !wanted[name] {
			if err := ws.Remove(ctx, path.Join(dir, name)); err != nil {
				return 0, fmt.Errorf("take %s away: %w", path.Join(dir, name), err)
			}
			changed++
		}
	}
	return changed, nil
}

// outcome says which versions changed, in Kargo's words.
func (cfg updateConfig) outcome(changed int, before map[string][]string, deps []resolved) (step.Outcome, error) {
	var lines []string
	for _, d := range deps {
		switch old := before[d.dep.Name]; {
		case slices.Contains(old, d.dep.Version):
		case len(old) == 1:
			lines = append(lines, fmt.Sprintf("- %s: %s -> %s", d.dep.Name, old[0], d.dep.Version))
		default: // it is new, or stands there several times
			lines = append(lines, fmt.Sprintf("- %s: %s", d.dep.Name, d.dep.Version))
		}
	}
	slices.Sort(lines)
	commit := "Updated chart dependencies for " + cfg.Path
	if len(lines) > 0 {
		commit += "\n\n" + strings.Join(lines, "\n")
	}
	message := fmt.Sprintf("%s has these dependencies already.", cfg.Path)
	if changed > 0 {
		message = fmt.Sprintf("Updated the dependencies of %s (%d files changed).", cfg.Path, changed)
	}
	return step.Outcome{Output: step.Texts(map[string]string{"commitMessage": commit}), Message: message}, nil
}
