package docs_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/expr"
)

// TestOutputs runs each editing step and compares what it gives with what its
// section says.
func TestOutputs(t *testing.T) {
	configs := map[string]string{
		"copy":                `{"inPath": "a.yaml", "outPath": "b.yaml"}`,
		"helm-template":       `{"path": "chart", "outPath": "out.yaml", "releaseName": "r"}`,
		"helm-update-chart":   `{"path": "chart"}`,
		"kustomize-build":     `{"path": ".", "outPath": "out.yaml"}`,
		"kustomize-set-image": `{"path": ".", "images": [{"image": "web", "tag": "v2"}]}`,
		"compose-output":      `{"NAME": 1}`,
		"delete":              `{"path": "a.yaml"}`,
		"fail":                `{"message": "No."}`,
		"file-write":          `{"path": "b", "contents": "x"}`,
		"json-parse":          `{"path": "a.json", "outputs": [{"name": "NAME", "fromExpression": "a"}]}`,
		"toml-parse":          `{"path": "a.toml", "outputs": [{"name": "NAME", "fromExpression": "a"}]}`,
		"yaml-parse":          `{"path": "a.yaml", "outputs": [{"name": "NAME", "fromExpression": "a"}]}`,
		"json-update":         `{"path": "a.json", "updates": [{"key": "a", "value": 2}]}`,
		"toml-update":         `{"path": "a.toml", "updates": [{"key": "a", "value": 2}]}`,
		"git-clear":           `{"path": "."}`,
		"regex-update":        `{"path": "a.yaml", "updates": [{"pattern": "a: (.)", "value": 2}]}`,
		"set-metadata":        `{"updates": [{"kind": "Stage", "name": "dev", "values": {"a": 1}}]}`,
		"sync":                `{"inPath": "in", "outPath": "out"}`,
		"yaml-merge":          `{"inFiles": ["a.yaml"], "outFile": "b.yaml"}`,
		"hcl-update":          `{"path": "a.tf", "updates": [{"key": "a", "value": 2}]}`,
		"yaml-update":         `{"path": "a.yaml", "updates": [{"key": "a", "value": 2}]}`,
	}
	for _, kind := range promotion.Kinds {
		documented := outputsOf(t, kind.Uses)
		if kind.Class != promotion.ClassEdit {
			continue // what these give needs a GitHub; server's stories read it
		}
		ws := steptest.New(map[string]string{"a.yaml": "a: 1\n", "in/a": "1", "a.json": `{"a": 1}`, "a.toml": "a = 1\n", "a.tf": "a = 1\n", "chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies:\n- name: d\n", "chart/charts/d/Chart.yaml": "apiVersion: v2\nname: d\nversion: 0.1.0\n", "kustomization.yaml": "images:\n  - name: web\n    newTag: v1\n"})
		done, err := step.Run(t.Context(), ws, step.Task{Uses: kind.Uses, Config: json.RawMessage(configs[kind.Uses])})
		if err != nil {
			t.Errorf("%s: %v", kind.Uses, err)
			continue
		}
		if given := slices.Sorted(maps.Keys(done.Output)); !slices.Equal(given, documented) {
			t.Errorf("%s gives %v, its section says %v", kind.Uses, given, documented)
		}
	}
}

// TestFunctions sees that the page shows every function that expressions have of us.
func TestFunctions(t *testing.T) {
	shown := section(t, "steps.md", "Expressions")
	for _, name := range expr.Functions() {
		if !strings.Contains(shown, "`"+name+"(") {
			t.Errorf("the page does not show %s()", name)
		}
	}
}

// outputsOf are the names that a step's section gives as its outputs, sorted: each
// is the first word in backticks of a part between semicolons, up to the first full stop.
func outputsOf(t *testing.T, uses string) []string {
	t.Helper()
	m := regexp.MustCompile(`(?s)\nOutputs: (.*?)\.\s`).FindStringSubmatch(section(t, "steps.md", uses))
	if m == nil {
		t.Fatalf("the section %s says nothing of outputs", uses)
	}
	var out []string
	for part := range strings.SplitSeq(m[1], ";") {
		if names := ticked(part); len(names) > 0 {
			out = append(out, names[0])
		}
	}
	slices.Sort(out)
	return out
}
