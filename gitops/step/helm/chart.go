package helm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/ignore"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// The bounds of one chart.
const (
	maxFiles    = 10_000
	maxBytes    = 64 << 20
	maxUnpacked = 128 << 20 // bytes of all its archives unpacked, those inside others too
)

// readChart reads a chart's files from its folder or archive in the workspace.
func readChart(ctx context.Context, ws step.Workspace, p string) ([]*archive.BufferedFile, error) {
	at, entry, err := step.Locate(ctx, ws, p)
	switch {
	case err != nil:
		return nil, fmt.Errorf("load the chart: %w", err)
	case entry.Mode == step.ModeFolder:
		return readFolder(ctx, ws, at)
	}
	_, content, err := step.Read(ctx, ws, p)
	if err != nil {
		return nil, fmt.Errorf("load the chart: %w", err)
	}
	return newUnpacker().unpack(p, content)
}

// folder reads a chart's folder, links inside the workspace followed.
type folder struct {
	ws    step.Workspace
	rules *ignore.Rules
	files []*archive.BufferedFile
	bytes int
}

func readFolder(ctx context.Context, ws step.Workspace, at string) ([]*archive.BufferedFile, error) {
	rules, err := ignoreRules(ctx, ws, at)
	if err != nil {
		return nil, err
	}
	f := folder{ws: ws, rules: rules}
	if err := f.read(ctx, at, ""); err != nil {
		return nil, err
	}
	return f.files, nil
}

// defaultRules are those of a chart without a .helmignore. They only are read.
var defaultRules = sync.OnceValue(func() *ignore.Rules {
	rules := ignore.Empty()
	rules.AddDefaults()
	return rules
})

// ignoreRules are those of the chart's .helmignore.
func ignoreRules(ctx context.Context, ws step.Workspace, at string) (*ignore.Rules, error) {
	file := path.Join(at, ignore.HelmIgnore)
	_, err := ws.Stat(ctx, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return defaultRules(), nil
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", file, err)
	}
	_, content, err := step.Read(ctx, ws, file)
	if err != nil {
		return nil, err
	}
	rules, err := ignore.Parse(bytes.NewReader(content))
	if err != nil {
		return nil, step.Refuse("%s: %w", file, err)
	}
	rules.AddDefaults()
	return rules, nil
}

// read collects what stands at the folder at; rel is its place in the chart.
func (f *folder) read(ctx context.Context, at, rel string) error {
	entries, err := f.ws.ReadDir(ctx, at)
	if err != nil {
		return fmt.Errorf("list %s: %w", at, err)
	}
	for _, e := range entries {
		name, where := path.Join(rel, e.Name), path.Join(at, e.Name)
		if e.Mode == step.ModeLink {
			if where, e, err = step.Locate(ctx, f.ws, where); err != nil {
				return fmt.Errorf("the chart's link %s: %w", name, err)
			}
		}
		if f.rules.Ignore(name, info{path.Base(name), e.Mode == step.ModeFolder}) || e.Mode == step.ModeSubmodule {
			continue
		}
		if e.Mode == step.ModeFolder {
			err = f.folder(ctx, where, name)
		} else {
			err = f.file(ctx, where, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) folder(ctx context.Context, at, name string) error {
	if strings.Count(name, "/") > 50 { // a link to a folder above itself has no end
		return step.Refuse("the chart has folders inside folders without end: %.100s…", name)
	}
	return f.read(ctx, at, name)
}

func (f *folder) file(ctx context.Context, at, name string) error {
	content, err := f.ws.ReadFile(ctx, at)
	if err != nil {
		return fmt.Errorf("read %s: %w", at, err)
	}
	f.bytes += len(content)
	if f.bytes > maxBytes || len(f.files) == maxFiles {
		return step.Refuse("the chart has more than %d files or %d bytes; leave out what is not part of it by a .helmignore", maxFiles, maxBytes)
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	f.files = append(f.files, &archive.BufferedFile{Name: name, Data: content})
	return nil
}

// info is what rules of .helmignore look at.
type info struct {
	name   string
	folder bool
}

func (i info) Name() string       { return i.name }
func (i info) IsDir() bool        { return i.folder }
func (i info) Size() int64        { return 0 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir
	}
	return 0
}

// loadChart makes a chart of its files, and checks that it can be rendered.
func loadChart(p string, files []*archive.BufferedFile) (*chart.Chart, error) {
	files, err := newUnpacker().charts(files)
	if err != nil {
		return nil, fmt.Errorf("load the chart %s: %w", p, err)
	}
	c, err := loader.LoadFiles(files)
	switch {
	case err != nil:
		return nil, step.Refuse("load the chart %s: %w", p, err)
	case c.Metadata.Type != "" && c.Metadata.Type != "application":
		return nil, step.Refuse("the chart %s is of the type %q, which cannot be rendered", p, c.Metadata.Type)
	}
	var missing []string
	for _, d := range c.Metadata.Dependencies {
		if !slices.ContainsFunc(c.Dependencies(), func(sub *chart.Chart) bool { return sub.Name() == d.Name }) {
			missing = append(missing, d.Name)
		}
	}
	if len(missing) > 0 {
		return nil, step.Refuse("the chart %s lacks dependencies in its folder charts: %s; set `buildDependencies: true` to have them fetched, or commit them", p, strings.Join(missing, ", "))
	}
	return c, nil
}
