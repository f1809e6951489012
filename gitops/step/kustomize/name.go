package kustomize

import (
	"strings"

	"sigs.k8s.io/kustomize/api/resource"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// name is a manifest's file in the folder. Kargo puts the namespace first here, other
// than for charts. Kustomize's own names are those of `kustomize build --output`: with
// several namespaces, a folder for each.
func (cfg config) name(res *resource.Resource, several bool) (string, error) {
	if cfg.OutputFormat != "kustomize" {
		name := res.GetKind() + "-" + res.GetName()
		if namespace := res.GetNamespace(); namespace != "" {
			name = namespace + "-" + name
		}
		return step.FileName(strings.ToLower(name) + ".yaml")
	}
	name, err := step.FileName(strings.ToLower(res.GetGvk().StringWoEmptyField()+"_"+res.GetName()) + ".yaml")
	if err != nil || !several || res.GetGvk().IsClusterScoped() {
		return name, err
	}
	namespace := res.GetNamespace()
	if namespace == "" {
		namespace = "default"
	}
	folder, err := step.FileName(namespace)
	return folder + "/" + name, err
}
