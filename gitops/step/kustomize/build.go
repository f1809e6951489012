package kustomize

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// deadline is how long a build may take.
const deadline = time.Minute

func init() { step.Register("kustomize-build", build) }

type config struct {
	Path         string `json:"path"`
	OutPath      string `json:"outPath"`
	OutputFormat string `json:"outputFormat"` // kargo (default) or kustomize: how files in a folder are named
	Plugin       any    `json:"plugin"`       // of Kargo's helm plugin, which is off: see refuseHelm
}

// build renders a kustomization to a file or folder.
func build(ctx context.Context, ws step.Workspace, task step.Task) (step.Outcome, error) {
	var cfg config
	if err := step.Decode(task, &cfg); err != nil {
		return step.Outcome{}, err
	}
	dir, entry, err := step.Locate(ctx, ws, cfg.Path)
	switch {
	case err != nil:
		return step.Outcome{}, err
	case entry.Mode != step.ModeFolder:
		return step.Outcome{}, step.Refuse("%s is not a folder; `path` names the folder of the kustomization file", cfg.Path)
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	t := newTree(ctx, ws, task.Remote)
	defer t.release()
	files, err := cfg.render(t, dir)
	if err != nil {
		return step.Outcome{}, err
	}
	changed, err := step.WriteAll(ctx, ws, files)
	if err != nil {
		return step.Outcome{}, err
	}
	return t.outcome(cfg.OutPath, changed), nil
}

// slot lets one build run at a time.
var slot = make(chan struct{}, 1)

func (cfg config) render(t *tree, dir string) ([]step.Rendered, error) {
	if err := t.gather(t.virtual(dir)); err != nil {
		return nil, cfg.late(t, err)
	}
	select {
	case slot <- struct{}{}:
	case <-t.ctx.Done():
		return nil, fmt.Errorf("wait for another build to end: %w", t.ctx.Err())
	}
	defer func() { <-slot }()
	return cfg.run(t, dir)
}

func (cfg config) run(t *tree, dir string) (files []step.Rendered, err error) {
	defer func() {
		if r := recover(); r != nil { // the library gave up
			files, err = nil, step.Refuse("kustomize build %s: %v", cfg.Path, r)
		}
	}()
	defer t.listen()()
	built, err := krusty.MakeKustomizer(options()).Run(t, t.virtual(dir))
	switch {
	case t.ctx.Err() != nil:
		return nil, cfg.late(t, t.ctx.Err())
	case t.failed != nil: // Kustomize takes some files that cannot be read for missing ones
		return nil, t.failed
	case err != nil:
		return nil, step.Refuse("kustomize build %s: %w", cfg.Path, t.plain(err))
	}
	if err := t.annotate(built); err != nil {
		return nil, err
	}
	return cfg.files(built)
}

// options are Kustomize's own, but that a kustomization may name files beside and above
// its folder, as in Kargo: what a build may read is the tree's to say.
func options() *krusty.Options {
	all := krusty.MakeDefaultOptions()
	all.LoadRestrictions = types.LoadRestrictionsNone
	return all
}

// late says that the time was over, if that is why there is an error.
func (cfg config) late(t *tree, err error) error {
	if t.ctx.Err() != nil {
		return step.Refuse("kustomize build %s took longer than %s: %w", cfg.Path, deadline, t.ctx.Err())
	}
	return err
}

// plain takes our view of the files out of a message: the workspace's root, and where
// what is elsewhere stands.
func (t *tree) plain(err error) error {
	var swaps []string
	for _, p := range t.places[1:] {
		for _, end := range []string{"/", "'", `"`} {
			plain := p.name + strings.Replace(end, "/", "//", 1)
			swaps = append(swaps, up+p.root[1:]+end, plain, p.root+end, plain)
		}
	}
	text := strings.NewReplacer(swaps...).Replace(strings.TrimSpace(err.Error()))
	return errors.New(strings.NewReplacer("'/", "'", `"/`, `"`, root+"/", "").Replace(text))
}

// files lays the manifests out.
func (cfg config) files(built resmap.ResMap) ([]step.Rendered, error) {
	if step.IsFile(cfg.OutPath) {
		text, err := built.AsYaml()
		if err != nil {
			return nil, step.Refuse("write the manifests: %w", err)
		}
		return []step.Rendered{{Path: cfg.OutPath, Content: text}}, nil
	}
	several := len(built.GroupedByCurrentNamespace()) > 1
	var files []step.Rendered
	for _, res := range built.Resources() {
		name, err := cfg.name(res, several)
		if err != nil {
			return nil, err
		}
		text, err := res.AsYAML()
		if err != nil {
			return nil, step.Refuse("write %s: %w", name, err)
		}
		files = append(files, step.Rendered{Path: strings.TrimSuffix(cfg.OutPath, "/") + "/" + name, Content: text})
	}
	return files, nil
}
