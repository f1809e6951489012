//go:build !race && !small

package main

import (
	"context"
	"encoding/json"
	"fmt"
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

// render compares the steps that render with the libraries' own calls on the
// same files, which are in memory.
func render(ctx context.Context, b *bench) ([]row, error) {
	var rows []row
	for _, r := range []struct {
		uses, config string
		files        map[string]string
		library      func(map[string]string) (time.Duration, error)
	}{
		{"kustomize-build", `{"path": "prod", "outPath": "out.yaml"}`, kustomization(), kustomizeAlone},
		{"helm-template", `{"path": "chart", "releaseName": "web", "outPath": "out.yaml"}`, chart(), helmAlone},
	} {
		b.say("  %s against its library", r.uses)
		ours := func(int) (time.Duration, error) {
			ws := steptest.New(r.files)
			begin := time.Now()
			_, err := step.Run(ctx, ws, step.Task{Uses: r.uses, Config: json.RawMessage(r.config)})
			took := time.Since(begin)
			if err == nil && len(ws.Files["out.yaml"].Content) < 1000 {
				err = fmt.Errorf("%s gave too little", r.uses)
			}
			return took, err
		}
		library := func(int) (time.Duration, error) { return r.library(r.files) }
		times, err := contest(ctx, b.pick(200, 60), ours, library)
		if err != nil {
			return nil, err
		}
		rows = append(rows, value(fmt.Sprintf("%s, %d files", r.uses, len(r.files)), times[0], "ms"),
			value(r.uses+" / library", times[0]/times[1], "").atMost(1.2))
	}
	return rows, nil
}

// kustomizeAlone is a build by the library.
func kustomizeAlone(files map[string]string) (time.Duration, error) {
	fs := filesys.MakeFsInMemory()
	for name, text := range files {
		if err := fs.WriteFile("/"+name, []byte(text)); err != nil {
			return 0, err
		}
	}
	begin := time.Now()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, "/prod")
	if err == nil {
		_, err = built.AsYaml()
	}
	return time.Since(begin), err
}

// helmAlone renders by the library, up to sorted manifests.
func helmAlone(files map[string]string) (time.Duration, error) {
	begin := time.Now()
	var read []*archive.BufferedFile
	for name, text := range files {
		read = append(read, &archive.BufferedFile{Name: name[len("chart/"):], Data: []byte(text)})
	}
	c, err := loader.LoadFiles(read)
	if err != nil {
		return 0, err
	}
	values := map[string]any{}
	if err := chartutil.ProcessDependencies(c, values); err != nil {
		return 0, err
	}
	scope, err := util.ToRenderValues(c, values, common.ReleaseOptions{Name: "web", Namespace: "default", IsInstall: true}, nil)
	if err != nil {
		return 0, err
	}
	rendered, err := engine.Render(c, scope)
	if err != nil {
		return 0, err
	}
	_, _, err = releaseutil.SortManifests(rendered, nil, releaseutil.InstallOrder)
	return time.Since(begin), err
}
