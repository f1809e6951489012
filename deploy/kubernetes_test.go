//go:build !small

package deploy_test

import (
	"slices"
	"strings"
	"testing"
)

type probe struct {
	HTTPGet struct{ Path string } `yaml:"httpGet"`
}

type statefulSet struct {
	Spec struct {
		Replicas int
		Template struct {
			Spec struct {
				Token           *bool `yaml:"automountServiceAccountToken"`
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
					RunAsUser    int  `yaml:"runAsUser"`
				} `yaml:"securityContext"`
				Containers []struct {
					Args            []string
					Env             []struct{ Name, Value string }
					VolumeMounts    []map[string]any `yaml:"volumeMounts"`
					Liveness        probe            `yaml:"livenessProbe"`
					Readiness       probe            `yaml:"readinessProbe"`
					SecurityContext struct {
						Escalation   *bool `yaml:"allowPrivilegeEscalation"`
						ReadOnly     bool  `yaml:"readOnlyRootFilesystem"`
						Capabilities struct{ Drop []string }
					} `yaml:"securityContext"`
				}
			}
		}
	}
}

func TestKubernetes(t *testing.T) {
	set := workload(t, read(t, "kubernetes.yaml"))
	if set.Spec.Replicas != 1 {
		t.Errorf("%d replicas; a data directory takes one", set.Spec.Replicas)
	}
	hold(t, set)
}

// workload checks a text of manifests against Kubernetes' own schema, and gives its StatefulSet.
func workload(t *testing.T, manifests string) (set statefulSet) {
	t.Helper()
	for _, node := range documents(t, manifests) {
		for _, wrong := range check(node.Content[0]) {
			t.Error(wrong)
		}
		var object struct{ Kind string }
		must(t, node.Decode(&object))
		if object.Kind == "StatefulSet" {
			must(t, node.Decode(&set))
		}
	}
	return set
}

// hold sees that the container may do no more than it needs, and that the server starts in it.
func hold(t *testing.T, set statefulSet) {
	t.Helper()
	pod := set.Spec.Template.Spec
	if len(pod.Containers) != 1 {
		t.Fatalf("%d containers, want one", len(pod.Containers))
	}
	c := pod.Containers[0]
	if pod.Token == nil || *pod.Token || !pod.SecurityContext.RunAsNonRoot || pod.SecurityContext.RunAsUser != 65532 ||
		c.SecurityContext.Escalation == nil || *c.SecurityContext.Escalation || !c.SecurityContext.ReadOnly ||
		!slices.Equal(c.SecurityContext.Capabilities.Drop, []string{"ALL"}) {
		t.Error("the container may do more than it needs")
	}
	if c.Liveness.HTTPGet.Path != "/healthz" || c.Readiness.HTTPGet.Path != "/readyz" {
		t.Error("the probes ask for other paths than the server answers")
	}
	env, mounts := map[string]string{}, []string{}
	for _, e := range c.Env {
		env[e.Name] = e.Value
	}
	for _, m := range c.VolumeMounts {
		mounts = append(mounts, m["mountPath"].(string))
	}
	// The file of credentials is in what is mounted, and the rest are flags that serve knows.
	if len(c.Args) < 2 || c.Args[0] != "serve" || !strings.HasPrefix(c.Args[1], "--env-file=/credentials/") || !slices.Contains(mounts, "/credentials") {
		t.Errorf("the arguments are %q", c.Args)
	}
	starts(t, env, mounts)
}
