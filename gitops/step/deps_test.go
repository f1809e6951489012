package step_test

import (
	"testing"

	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// The room's row: what its packages import besides the standard library.
func TestImports(t *testing.T) {
	const ours, helm = "github.com/stagecoach-app/stagecoach/", "helm.sh/helm/v4/pkg/"
	allowed := map[string][]string{
		".": {"go.yaml.in/yaml/v3", "github.com/pelletier/go-toml/v2", "github.com/go-git/go-git/v5/plumbing/format/gitignore", "github.com/bmatcuk/doublestar/v4",
			ours + "promotion", ours + "promotion/expr", ours + "gitops/step/yamledit", ours + "gitops/step/jsonedit", ours + "gitops/step/tomledit", ours + "gitops/step/hcledit", ours + "gitops/step/textedit"},
		"helm": {"github.com/BurntSushi/toml", "github.com/Masterminds/semver/v3", "github.com/Masterminds/sprig/v3", "github.com/santhosh-tekuri/jsonschema/v6",
			"go.yaml.in/yaml/v3", "sigs.k8s.io/yaml", "sigs.k8s.io/yaml/goyaml.v3", helm + "chart/common", helm + "chart/common/util", helm + "chart/loader/archive", helm + "chart/v2",
			helm + "chart/v2/loader", helm + "chart/v2/util", helm + "engine", helm + "ignore", helm + "release/v1", helm + "release/v1/util", helm + "strvals",
			ours + "gitops/egress", ours + "gitops/step", ours + "gitops/step/overhear", ours + "gitops/step/yamledit"},
		"kustomize": {"go.yaml.in/yaml/v3", "sigs.k8s.io/kustomize/api/konfig", "sigs.k8s.io/kustomize/api/krusty", "sigs.k8s.io/kustomize/api/resmap", "sigs.k8s.io/kustomize/api/resource",
			"sigs.k8s.io/kustomize/api/types", "sigs.k8s.io/kustomize/kyaml/filesys", ours + "gitops/step", ours + "gitops/step/overhear", ours + "promotion"},
		"steptest": {ours + "gitops/step", ours + "promotion"},
		"textedit": {ours + "gitops/step/yamledit"},
		"jsonedit": {ours + "gitops/step/yamledit", ours + "gitops/step/textedit"},
		"tomledit": {ours + "gitops/step/yamledit", ours + "gitops/step/textedit", "github.com/pelletier/go-toml/v2", "github.com/pelletier/go-toml/v2/unstable"},
		"hcledit":  {ours + "gitops/step/yamledit", ours + "gitops/step/textedit", "github.com/hashicorp/hcl/v2", "github.com/hashicorp/hcl/v2/hclsyntax"},
	}
	for dir, list := range allowed {
		deptest.ImportsIn(t, dir, list...)
	}
}
