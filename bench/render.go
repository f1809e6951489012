//go:build !race && !small

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	_ "github.com/stagecoach-app/stagecoach/gitops/step/helm" // the steps that are measured
	_ "github.com/stagecoach-app/stagecoach/gitops/step/kustomize"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
)

func init() { rendering = render }

// subject is a folder to render, with the files around it.
type subject struct {
	uses, dir string
	files     map[string]string
	ws        *steptest.Workspace // with the files; nil: one is made for each call
}

// libraries render a subject by the library's own call, on files in memory; they
// give the manifests and the time that it took.
var libraries = map[string]func(subject) (string, time.Duration, error){"kustomize-build": kustomizeAlone, "helm-template": helmAlone}

// render compares the steps that render with the libraries' own calls on the
// same files, which are in memory.
func render(ctx context.Context, b *bench) ([]row, error) {
	examples, err := embedded()
	if err != nil {
		return nil, err
	}
	sets := []struct {
		name     string
		rounds   int
		subjects []subject
	}{
		{"ten manifests alike", b.pick(200, 60), []subject{{uses: "kustomize-build", dir: "prod", files: kustomization()}, {uses: "helm-template", dir: "chart", files: chart()}}},
		{"an example repository", b.pick(200, 40), subjects(ctx, examples)},
	}
	for _, name := range neighbours() { // where they stand beside this one
		files, err := filesBelow(os.DirFS(name))
		if err != nil {
			return nil, err
		}
		sets = append(sets, struct {
			name     string
			rounds   int
			subjects []subject
		}{filepath.Base(name), b.pick(100, 20), subjects(ctx, files)})
	}
	var rows []row
	for _, set := range sets {
		for _, uses := range []string{"kustomize-build", "helm-template"} {
			more, err := against(ctx, b, set.name, uses, set.rounds, set.subjects)
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
		}
	}
	return rows, nil
}

// against measures all subjects of a set that one step renders.
func against(ctx context.Context, b *bench, set, uses string, rounds int, all []subject) ([]row, error) {
	of := slices.DeleteFunc(slices.Clone(all), func(s subject) bool { return s.uses != uses })
	if len(of) == 0 {
		return nil, nil
	}
	b.say("  %s against its library: %s", uses, set)
	defer hush()()
	for i := range of { // a copy of all files for each call would be made at the step's cost, by what the processor forgets
		of[i].ws = steptest.New(of[i].files)
	}
	times, err := contest(ctx, rounds, each(of, func(s subject) (string, time.Duration, error) { return s.step(ctx) }), each(of, libraries[uses]))
	if err != nil {
		return nil, err
	}
	return []row{
		value(fmt.Sprintf("%s, %s, %d folders", uses, set, len(of)), times[0], "ms"),
		value(fmt.Sprintf("%s / library, %s", uses, set), times[0]/times[1], "").atMost(1.2),
	}, nil
}

// hush keeps Kustomize's warnings of old fields off the terminal, until the
// function that it returns is called.
func hush() func() {
	before := os.Stderr
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return func() {}
	}
	os.Stderr = nowhere
	return func() { os.Stderr = before; _ = nowhere.Close() }
}

// each renders subjects one after the other, and adds up what that took.
func each(of []subject, render func(subject) (string, time.Duration, error)) func(int) (time.Duration, error) {
	return func(int) (sum time.Duration, err error) {
		for _, s := range of {
			text, took, err := render(s)
			if err != nil {
				return 0, fmt.Errorf("%s of %s: %w", s.uses, s.dir, err)
			}
			if text == "" {
				return 0, fmt.Errorf("%s of %s gave nothing", s.uses, s.dir)
			}
			sum += took
		}
		return sum, nil
	}
}

// step renders by the product.
func (s subject) step(ctx context.Context) (string, time.Duration, error) {
	config, err := json.Marshal(map[string]string{"path": s.dir, "outPath": "out.yaml"})
	if s.uses == "helm-template" {
		config, err = json.Marshal(map[string]string{"path": s.dir, "outPath": "out.yaml", "releaseName": "web"})
	}
	if err != nil {
		return "", 0, err
	}
	ws := s.ws
	if ws == nil {
		ws = steptest.New(s.files)
	}
	delete(ws.Files, "out.yaml")
	begin := processor()
	_, err = step.Run(ctx, ws, step.Task{Uses: s.uses, Config: config})
	return ws.Files["out.yaml"].Content, processor() - begin, err
}

// kustomizeAlone is a build by the library.
func kustomizeAlone(s subject) (string, time.Duration, error) {
	fs := filesys.MakeFsInMemory()
	for name, text := range s.files {
		if err := fs.WriteFile("/"+name, []byte(text)); err != nil {
			return "", 0, err
		}
	}
	begin := processor()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, "/"+s.dir)
	if err != nil {
		return "", 0, err
	}
	text, err := built.AsYaml()
	return string(text), processor() - begin, err
}

// helmAlone renders by the library, up to sorted manifests.
func helmAlone(s subject) (string, time.Duration, error) {
	begin := processor()
	var read []*archive.BufferedFile
	for name, text := range s.files {
		if rest, below := strings.CutPrefix(name, s.dir+"/"); below {
			read = append(read, &archive.BufferedFile{Name: rest, Data: []byte(text)})
		}
	}
	c, err := loader.LoadFiles(read)
	if err != nil {
		return "", 0, err
	}
	values := map[string]any{}
	if err := chartutil.ProcessDependencies(c, values); err != nil {
		return "", 0, err
	}
	scope, err := util.ToRenderValues(c, values, common.ReleaseOptions{Name: "web", Namespace: "default", IsInstall: true}, nil)
	if err != nil {
		return "", 0, err
	}
	rendered, err := engine.Render(c, scope)
	if err != nil {
		return "", 0, err
	}
	maps.DeleteFunc(rendered, func(name, _ string) bool { return path.Base(name) == "NOTES.txt" })
	_, manifests, err := releaseutil.SortManifests(rendered, nil, releaseutil.InstallOrder)
	var out strings.Builder
	for _, m := range manifests {
		out.WriteString("---\n" + m.Content + "\n")
	}
	return out.String(), processor() - begin, err
}
