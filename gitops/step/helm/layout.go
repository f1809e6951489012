package helm

import (
	"path"
	"sort"
	"strings"

	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"sigs.k8s.io/yaml"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// layout says which files the manifests go to.
func (cfg templateConfig) layout(docs []document) ([]step.Rendered, error) {
	switch {
	case step.IsFile(cfg.OutPath):
		var text strings.Builder
		for _, d := range docs {
			text.WriteString(d.String())
		}
		return []step.Rendered{{Path: cfg.OutPath, Content: []byte(text.String())}}, nil
	case cfg.OutLayout == "flat":
		return cfg.flat(docs)
	}
	return cfg.bySource(docs), nil
}

// bySource has a file for each template, as `helm template --output-dir`.
func (cfg templateConfig) bySource(docs []document) []step.Rendered {
	base := cfg.OutPath
	if cfg.UseReleaseName {
		base = path.Join(base, cfg.ReleaseName)
	}
	var files []step.Rendered
	index := map[string]int{}
	for _, d := range docs {
		i, there := index[d.source]
		if !there {
			i = len(files)
			index[d.source] = i
			files = append(files, step.Rendered{Path: path.Join(base, d.source)})
		}
		files[i].Content = append(files[i].Content, d.String()...)
	}
	return files
}

// flat has a file for each manifest, named by its kind, namespace and name.
func (cfg templateConfig) flat(docs []document) ([]step.Rendered, error) {
	var files []step.Rendered
	for _, d := range docs {
		for _, text := range split(d.text) {
			var head struct {
				Kind     string `json:"kind"`
				Metadata struct {
					Name      string `json:"name"`
					Namespace string `json:"namespace"`
				} `json:"metadata"`
			}
			if err := yaml.Unmarshal([]byte(text), &head); err != nil {
				return nil, step.Refuse("%s: the rendered manifest is no YAML: %w", d.source, err)
			}
			if head.Kind == "" || head.Metadata.Name == "" {
				return nil, step.Refuse("%s: a rendered manifest has no kind or no name, which would name its file; use `outLayout: helm`", d.source)
			}
			name, err := step.ManifestName(head.Kind, head.Metadata.Namespace, head.Metadata.Name)
			if err != nil {
				return nil, err
			}
			files = append(files, step.Rendered{Path: path.Join(cfg.OutPath, name), Content: []byte(document{d.source, text}.String())})
		}
	}
	return files, nil
}

// split takes a file of several manifests apart.
func split(text string) []string {
	parts := releaseutil.SplitManifests(text)
	keys := make([]string, 0, len(parts))
	for key := range parts {
		keys = append(keys, key)
	}
	sort.Sort(releaseutil.BySplitManifestsOrder(keys))
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = parts[key]
	}
	return out
}
