package helm

import (
	"bytes"
	"context"
	"fmt"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

type setValue struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Literal bool   `json:"literal"`
}

// values merges the files in their order, and what is set over them: as in
// `helm template --values --set --set-literal`.
func (cfg templateConfig) values(ctx context.Context, ws step.Workspace) (map[string]any, error) {
	merged := map[string]any{}
	for _, p := range cfg.ValuesFiles {
		_, content, err := step.Read(ctx, ws, p)
		if err != nil {
			return nil, fmt.Errorf("the values of the chart: %w", err)
		}
		values, err := loader.LoadValues(bytes.NewReader(content))
		if err != nil {
			return nil, step.Refuse("%s: not valid YAML, or no mapping: %w", p, err)
		}
		merged = loader.MergeMaps(merged, values)
	}
	for i, set := range cfg.SetValues {
		parse := strvals.ParseInto
		if set.Literal {
			parse = strvals.ParseLiteralInto
		}
		if err := parse(set.Key+"="+set.Value, merged); err != nil {
			return nil, step.Refuse("setValues.%d (%s): %w", i, set.Key, err)
		}
	}
	return merged, nil
}
