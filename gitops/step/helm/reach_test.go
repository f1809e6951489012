package helm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// Templates reach nothing of the server, of a cluster, or of the repository around
// their chart.
func TestTemplatesReachNothing(t *testing.T) {
	t.Setenv("STAGECOACH_TEST_SECRET", "hunter2")
	for template, want := range map[string]string{
		`{{ lookup "v1" "Secret" "default" "s" | len }}`:              "a: 0\n",
		`{{ (lookup "v1" "Secret" "" "").items | default "none" }}`:   "a: none\n",
		`{{ getHostByName "localhost" | quote }}`:                     "a: \"\"\n",
		`{{ .Files.Get "../secret" | quote }}`:                        "a: \"\"\n",
		`{{ .Files.Get "/etc/hostname" | quote }}`:                    "a: \"\"\n",
		`{{ .Files.Get "../../../../etc/hostname" | quote }}`:         "a: \"\"\n",
		`{{ len (.Files.Glob "../*") }}{{ len (.Files.Glob "/**") }}`: "a: 00\n",
		`{{ len (.Files.Lines "link") }}`:                             "a: 0\n",
		`{{ .Files.Get "own" }}`:                                      "a: of the chart\n",
		`{{ env "STAGECOACH_TEST_SECRET" }}`:                          "function \"env\" not defined",
		`{{ expandenv "$STAGECOACH_TEST_SECRET" }}`:                   "function \"expandenv\" not defined",
		`{{ tpl "{{ env \"STAGECOACH_TEST_SECRET\" }}" . }}`:          "function \"env\" not defined",
	} {
		ws := steptest.New(map[string]string{
			"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n", "chart/templates/a.yaml": "kind: K\na: " + template + "\n",
			"chart/own": "of the chart", "secret": "hunter2",
		})
		_, err := step.Run(t.Context(), ws, step.Task{Uses: "helm-template", Config: json.RawMessage(`{"path": "chart", "outPath": "out.yaml", "releaseName": "r"}`)})
		out := ws.Files["out.yaml"].Content
		if err != nil {
			out = err.Error()
		}
		if !strings.Contains(out, want) || strings.Contains(out, "hunter2") || err != nil && !promotion.IsTerminal(err) {
			t.Errorf("%s gives %s, want %s", template, out, want)
		}
	}
}
