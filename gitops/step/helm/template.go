package helm

import (
	"context"
	"fmt"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/overhear"
)

// deadline is how long a step of this package may take.
const deadline = time.Minute

func init() { step.Register("helm-template", renderTo) }

type templateConfig struct {
	Path              string     `json:"path"`
	OutPath           string     `json:"outPath"`
	OutLayout         string     `json:"outLayout"` // of a folder: helm (default) or flat
	ReleaseName       string     `json:"releaseName"`
	UseReleaseName    bool       `json:"useReleaseName"`
	Namespace         string     `json:"namespace"`
	ValuesFiles       []string   `json:"valuesFiles"`
	SetValues         []setValue `json:"setValues"`
	BuildDependencies bool       `json:"buildDependencies"`
	IncludeCRDs       bool       `json:"includeCRDs"`
	DisableHooks      bool       `json:"disableHooks"`
	SkipTests         bool       `json:"skipTests"`
	KubeVersion       string     `json:"kubeVersion"`
	APIVersions       []string   `json:"apiVersions"`
}

// renderTo renders a chart to a file or folder.
func renderTo(ctx context.Context, ws step.Workspace, task step.Task) (step.Outcome, error) {
	var cfg templateConfig
	if err := step.Decode(task, &cfg); err != nil {
		return step.Outcome{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	var warnings overhear.Warnings
	defer warnings.Listen()()
	docs, err := cfg.render(ctx, ws, task)
	if err != nil {
		return step.Outcome{}, err
	}
	files, err := cfg.layout(docs)
	if err != nil {
		return step.Outcome{}, err
	}
	changed, err := step.WriteAll(ctx, ws, files)
	if err != nil {
		return step.Outcome{}, err
	}
	return step.Outcome{Message: message(cfg.OutPath, changed) + warnings.Told("Helm")}, nil
}

func message(outPath string, changed int) string {
	switch changed {
	case 0:
		return fmt.Sprintf("%s holds these manifests already.", outPath)
	case 1:
		return fmt.Sprintf("Rendered to %s (1 file changed).", outPath)
	}
	return fmt.Sprintf("Rendered to %s (%d files changed).", outPath, changed)
}

// render gives the chart's manifests in the order of `helm template`.
func (cfg templateConfig) render(ctx context.Context, ws step.Workspace, task step.Task) ([]document, error) {
	values, err := cfg.values(ctx, ws)
	if err != nil {
		return nil, err
	}
	capabilities, err := cfg.capabilities()
	if err != nil {
		return nil, err
	}
	if err := util.ValidateReleaseName(cfg.ReleaseName); err != nil {
		return nil, step.Refuse("releaseName: %w", err)
	}
	files, err := readChart(ctx, ws, cfg.Path)
	if err != nil {
		return nil, err
	}
	if cfg.BuildDependencies {
		if files, err = withDependencies(ctx, ws, task, cfg.Path, files); err != nil {
			return nil, err
		}
	}
	chart, err := loadChart(cfg.Path, files)
	if err != nil {
		return nil, err
	}
	namespace := cfg.Namespace
	if namespace == "" {
		namespace = "default"
	}
	release := common.ReleaseOptions{Name: cfg.ReleaseName, Namespace: namespace, Revision: 1, IsInstall: true}
	return cfg.documents(ctx, chart, values, release, capabilities, task.Remote)
}

// capabilities are what templates see of the cluster: the defaults of Helm's
// library, unless the config says more.
func (cfg templateConfig) capabilities() (*common.Capabilities, error) {
	out := common.DefaultCapabilities.Copy()
	if cfg.KubeVersion != "" {
		version, err := common.ParseKubeVersion(cfg.KubeVersion)
		if err != nil {
			return nil, step.Refuse("kubeVersion %q is no version of Kubernetes: %w", cfg.KubeVersion, err)
		}
		out.KubeVersion = *version
	}
	out.APIVersions = append(out.APIVersions[:len(out.APIVersions):len(out.APIVersions)], cfg.APIVersions...)
	return out, nil
}
