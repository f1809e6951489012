//go:build !small

package deploy_test

import (
	"testing"

	"go.yaml.in/yaml/v3"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
)

// TestChartByHelm is `helm lint --strict`, with the values that have no default.
func TestChartByHelm(t *testing.T) {
	values := map[string]any{}
	must(t, yaml.Unmarshal([]byte(least), &values))
	found := lint.RunAll("chart", values, "ops")
	for _, m := range found.Messages {
		if m.Severity > support.InfoSev {
			t.Errorf("%s: %v", m.Path, m.Err)
		}
	}
	if broken := lint.RunAll("testdata", values, "ops"); broken.HighestSeverity < support.ErrorSev {
		t.Error("what is no chart passes")
	}
}
