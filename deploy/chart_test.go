//go:build !small

package deploy_test

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
)

// least are the values that have no default.
const least = "image: {repository: registry.example.com/stagecoach}\n"

// render is `helm template` with values, which may not be right by the chart's schema.
func render(t *testing.T, values string) (map[string]string, error) {
	t.Helper()
	c, err := loader.LoadDir("chart")
	must(t, err)
	must(t, c.Validate())
	given := map[string]any{}
	must(t, yaml.Unmarshal([]byte(values), &given))
	scope, err := commonutil.ToRenderValues(c, given, common.ReleaseOptions{Name: "promotions", Namespace: "ops", IsInstall: true, Revision: 1}, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	e := engine.Engine{Strict: true}
	return e.RenderWithContext(t.Context(), c, scope)
}

// TestChart renders what the chart can be, strictly, and compares it with Kubernetes' schema; the server starts in each.
func TestChart(t *testing.T) {
	for name, c := range map[string]struct {
		values   string
		replicas int
		kinds    []string
		has      []string
	}{
		"the least": {least, 1, []string{"Service", "StatefulSet"}, []string{"image: \"registry.example.com/stagecoach:0.1.0\"", "volumeClaimTemplates:"}},
		"several on NATS": {
			least + "engine: nats\nnats: {url: 'nats://nats:4222'}\nreplicas: 3\n", 3, []string{"PodDisruptionBudget", "Service", "StatefulSet"},
			[]string{"value: \"nats://nats:4222\"", "topologySpreadConstraints:"},
		},
		"everything": {
			`image: {repository: r.example.com/s, digest: "sha256:` + strings.Repeat("0a", 32) + `"}
imagePullSecrets: [{name: pull}]
settings: {STAGECOACH_ALLOW_HOSTS: charts.internal, STAGECOACH_CACHE_SIZE: 2GiB}
certificates: own-ca
persistence: {enabled: false, size: 5Gi}
ingress: {enabled: true, className: nginx, host: promote.example.com, tlsSecret: tls, annotations: {a/b: "c"}}
metrics: {serviceMonitor: true, rules: true, tokenSecret: token, labels: {release: prometheus}}
podAnnotations: {x: "y"}
podLabels: {team: platform}
nodeSelector: {kubernetes.io/os: linux}
tolerations: [{key: infra, operator: Exists}]
affinity: {nodeAffinity: {}}
`, 1, []string{"Ingress", "PrometheusRule", "Service", "ServiceMonitor", "StatefulSet"},
			[]string{"SSL_CERT_DIR", "emptyDir:", "@sha256:0a0a", "StagecoachDown", "path: /api/github/hook"},
		},
		"the webhook alone": {least + "ingress: {enabled: true, host: h.example.com, dashboard: false}\n", 1, []string{"Ingress", "Service", "StatefulSet"}, nil},
		"stopped":           {least + "replicas: 0\n", 0, []string{"Service", "StatefulSet"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := render(t, c.values)
			must(t, err)
			text, notes := joined(files)
			set := workload(t, text)
			hold(t, set)
			if set.Spec.Replicas != c.replicas {
				t.Errorf("%d replicas", set.Spec.Replicas)
			}
			if got := kinds(t, text); !slices.Equal(got, c.kinds) {
				t.Errorf("it makes %v, want %v", got, c.kinds)
			}
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
			if strings.Contains(c.values, "dashboard: false") && strings.Contains(text, "path: /\n") {
				t.Error("the dashboard can be reached")
			}
			if !strings.Contains(notes, "--env-file=/credentials/stagecoach.env") || !strings.Contains(notes, "--namespace ops") {
				t.Errorf("the notes are\n%s", notes)
			}
		})
	}
}

// TestChartRefuses gives values that do not fit together, or to anything.
func TestChartRefuses(t *testing.T) {
	for values, want := range map[string]string{
		"":                                   "repository",
		least + "replicas: 2\n":              "/replicas",
		least + "replica: 1\n":               "replica",
		least + "engine: kafka\n":            "/engine",
		least + "ingress: {enabled: true}\n": "/ingress/host",
		least + "metrics: {serviceMonitor: true}\n":      "/metrics/tokenSecret",
		least + "settings: {STAGECOACH_CACHE_SIZE: 0}\n": "/settings/STAGECOACH_CACHE_SIZE",
		least + "engine: nats\nnats: {url: localhost}\n": "/nats/url",
	} {
		_, err := render(t, values)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", values, err, want)
		}
	}
}

// joined is one text of all manifests, and the notes apart.
func joined(files map[string]string) (text, notes string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Base(name) == "NOTES.txt" {
			notes = files[name]
		} else if path.Ext(name) == ".yaml" {
			text += "---\n" + files[name] + "\n"
		}
	}
	return text, notes
}

func kinds(t *testing.T, text string) (out []string) {
	t.Helper()
	for _, node := range documents(t, text) {
		var object struct{ Kind string }
		must(t, node.Decode(&object))
		out = append(out, cmp.Or(object.Kind, "nothing"))
	}
	slices.Sort(out)
	return out
}
