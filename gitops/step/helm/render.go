package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	release "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// document is one rendered manifest, or a file of them.
type document struct {
	source string // the template, as helm names it: chart/templates/file
	text   string
}

// documents renders a chart. It follows what `helm template` does around the
// engine: https://helm.sh/docs/helm/helm_template/.
func (cfg templateConfig) documents(ctx context.Context, c *chart.Chart, values map[string]any, rel common.ReleaseOptions, caps *common.Capabilities, remote *step.Remote) ([]document, error) {
	if want := c.Metadata.KubeVersion; want != "" && !util.IsCompatibleRange(want, caps.KubeVersion.String()) {
		return nil, step.Refuse("the chart needs Kubernetes %s, and kubeVersion is %s; set `kubeVersion`", want, caps.KubeVersion.Version)
	}
	if err := util.ProcessDependencies(c, values); err != nil {
		return nil, step.Refuse("the chart's dependencies: %w", err)
	}
	scope, err := commonutil.ToRenderValuesWithSchemaValidation(c, values, rel, caps, true)
	if err != nil {
		return nil, step.Refuse("the chart's values: %w", err)
	}
	if err := validate(ctx, remote, c, scope["Values"]); err != nil {
		return nil, err
	}
	files, err := execute(ctx, c, scope)
	if err != nil {
		return nil, err
	}
	for name := range files {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(files, name)
		}
	}
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return nil, step.Refuse("the rendered chart is wrong: %w", err)
	}
	return cfg.ordered(c, hooks, manifests), nil
}

// ordered puts definitions first and hooks last.
func (cfg templateConfig) ordered(c *chart.Chart, hooks []*release.Hook, manifests []releaseutil.Manifest) []document {
	var docs []document
	if cfg.IncludeCRDs {
		for _, crd := range c.CRDObjects() {
			docs = append(docs, document{crd.Filename, string(crd.File.Data)})
		}
	}
	for _, m := range manifests {
		docs = append(docs, document{m.Name, m.Content})
	}
	for _, h := range hooks {
		if cfg.DisableHooks || cfg.SkipTests && slices.Contains(h.Events, release.HookTest) {
			continue
		}
		docs = append(docs, document{h.Path, h.Manifest})
	}
	return docs
}

// execute runs the templates, within bounds.
func execute(ctx context.Context, c *chart.Chart, scope common.Values) (map[string]string, error) {
	m, release, err := takeMeter(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if _, err := m.size(map[string]any(scope)); err != nil {
		return nil, step.Refuse("the chart's values: %w", err)
	}
	instrumentChart(c)
	e := engine.Engine{CustomTemplateFuncs: m.functions}
	files, err := e.RenderWithContext(ctx, c, scope)
	if stopped := m.stopped(); stopped != nil && err != nil {
		return nil, step.Refuse("render the chart %s: %w", c.Name(), stopped)
	}
	if err != nil {
		return nil, step.Refuse("render the chart %s: %w", c.Name(), readable(err))
	}
	return files, nil
}

// readable takes our own calls out of a message that quotes a template.
func readable(err error) error {
	return errors.New(strings.NewReplacer(guardCall, "", guardTrims, "", "("+guardedSource+" ", "(").Replace(strings.TrimSpace(err.Error())))
}

func (d document) String() string {
	return fmt.Sprintf("---\n# Source: %s\n%s\n", d.source, strings.TrimSuffix(d.text, "\n"))
}
