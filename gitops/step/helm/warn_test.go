package helm

import (
	"bytes"
	"encoding/json"
	"log"
	"maps"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
)

// What Helm's library would write to the server's log stands in the step's message.
func TestWarnings(t *testing.T) {
	var written bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&written)
	chart := map[string]string{
		"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n", "chart/values.yaml": "image: {tag: a}\nname: n\n",
		"chart/templates/a.yaml": "kind: K\na: {{ .Values.image }}\n",
	}
	for name, tt := range map[string]struct {
		config string
		files  map[string]string
		want   string
	}{
		"values (log)": {`{"path": "chart", "outPath": "o.yaml", "releaseName": "r", "valuesFiles": ["v.yaml"]}`, map[string]string{"v.yaml": "name: {first: x}\n"},
			"Rendered to o.yaml (1 file changed). Helm warns: skipped value for c.name: Not a table."},
		"a dependency's condition (slog)": {`{"path": "chart", "outPath": "o.yaml", "releaseName": "r"}`, map[string]string{
			"chart/Chart.yaml": chart["chart/Chart.yaml"] + "dependencies: [{name: d, version: 1.0.0, condition: image.tag}]\n", "chart/charts/d/Chart.yaml": "apiVersion: v2\nname: d\nversion: 1.0.0\n",
		}, "Helm warns: returned non-bool value path=image.tag chart=d."},
		"an old file": {`{"path": "chart", "outPath": "o.yaml", "releaseName": "r"}`, map[string]string{"chart/requirements.yaml": "dependencies: []\n"},
			`Helm warns: Dependencies are handled in Chart.yaml since apiVersion "v2". We recommend migrating dependencies to Chart.yaml.`},
		"none": {`{"path": "chart", "outPath": "o.yaml", "releaseName": "r"}`, nil, "Rendered to o.yaml (1 file changed)."},
	} {
		files := maps.Clone(chart)
		maps.Copy(files, tt.files)
		out, err := step.Run(t.Context(), steptest.New(files), step.Task{Uses: "helm-template", Config: json.RawMessage(tt.config)})
		if err != nil || !strings.Contains(out.Message, tt.want) || strings.Contains(out.Message, "Helm warns") != strings.Contains(tt.want, "Helm warns") {
			t.Errorf("%s: %v, it says\n%s\nwant\n%s", name, err, out.Message, tt.want)
		}
	}
	if written.Len() > 0 {
		t.Errorf("the log got %q", written.String())
	}
}
