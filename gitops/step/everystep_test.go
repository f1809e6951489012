//go:build !small

package step_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// readers are the steps that read what f names, each with a config and with what
// they take besides: those that copy, or write whole files, take any content, and
// some a folder.
var readers = map[string]struct {
	config      string
	file        string // where the bad content stands, when that is not f
	anyContent  bool
	folder      bool
	mayBeAbsent bool
}{
	"copy":                {config: `{"inPath": "f", "outPath": "o"}`, anyContent: true, folder: true},
	"delete":              {config: `{"path": "f"}`, anyContent: true, folder: true, mayBeAbsent: true},
	"file-write":          {config: `{"path": "f", "contents": "x", "overwrite": true}`, anyContent: true, mayBeAbsent: true},
	"hcl-update":          {config: `{"path": "f", "updates": [{"key": "a", "value": 1}]}`},
	"helm-template":       {config: `{"path": "f", "outPath": "o.yaml", "releaseName": "r"}`},
	"helm-update-chart":   {config: `{"path": "c"}`, file: "c/Chart.yaml"},
	"json-parse":          {config: `{"path": "f", "outputs": [{"name": "a", "fromExpression": "a"}]}`},
	"json-update":         {config: `{"path": "f", "updates": [{"key": "a", "value": 1, "create": false}]}`},
	"kustomize-build":     {config: `{"path": "c", "outPath": "o.yaml"}`, file: "c/kustomization.yaml"},
	"kustomize-set-image": {config: `{"path": "c", "images": [{"image": "a", "tag": "1"}]}`, file: "c/kustomization.yaml", folder: true},
	"regex-update":        {config: `{"path": "f", "updates": [{"pattern": "a=1", "value": 1}]}`},
	"sync":                {config: `{"inPath": "f", "outPath": "o"}`, folder: true},
	"toml-parse":          {config: `{"path": "f", "outputs": [{"name": "a", "fromExpression": "a"}]}`},
	"toml-update":         {config: `{"path": "f", "updates": [{"key": "a", "value": 1}]}`},
	"yaml-merge":          {config: `{"inFiles": ["f", "g"], "outFile": "o"}`},
	"yaml-parse":          {config: `{"path": "f", "outputs": [{"name": "a", "fromExpression": "a"}]}`},
	"yaml-update":         {config: `{"path": "f", "updates": [{"key": "a", "value": 1}]}`},
}

// withoutFiles read none.
var withoutFiles = map[string]string{
	"compose-output": `{"a": 1}`, "fail": `{}`, "git-clear": `{"path": "f"}`,
	"set-metadata": `{"updates": [{"kind": "Stage", "name": "dev", "values": {"a": 1}}]}`,
}

// TestEveryStepRefusesBadInput: missing, a folder, empty, binary, 50 MB, invalid.
func TestEveryStepRefusesBadInput(t *testing.T) {
	huge := strings.Repeat("a: [1, 2, 3, 4]\n", 50<<20/16)
	for _, uses := range step.Names() {
		r, reads := readers[uses]
		if _, none := withoutFiles[uses]; !reads && !none {
			t.Errorf("%s is in no table of this test", uses)
		}
		if !reads {
			continue
		}
		file := r.file
		if file == "" {
			file = "f"
		}
		for name, files := range map[string]map[string]string{
			"missing": {"other": "a"}, "folder": {file + "/x": "a: 1\n"}, "empty": {file: ""}, "binary": {file: "\x7fELF\x00\xff"},
			"huge": {file: huge}, "invalid": {file: "{]\x01: ]"},
		} {
			allowed := name == "missing" && r.mayBeAbsent || name == "folder" && r.folder || name != "missing" && name != "folder" && r.anyContent ||
				name == "empty" && (uses == "kustomize-set-image" || uses == "yaml-merge")
			if allowed {
				continue
			}
			files["g"] = "a: 1\n"
			ws := steptest.New(files)
			_, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: json.RawMessage(r.config)})
			if err == nil || !promotion.IsTerminal(err) || len(ws.Writes) > 0 {
				t.Errorf("%s, %s: %v after %q; want a Terminal error and nothing written", uses, name, err, ws.Writes)
			} else if len(err.Error()) > 2000 {
				t.Errorf("%s, %s: a message of %d bytes", uses, name, len(err.Error()))
			}
		}
	}
}

// TestEveryStepRefusesUnknownKeys, and values of a wrong type.
func TestEveryStepRefusesUnknownKeys(t *testing.T) {
	for _, uses := range step.Names() {
		config := readers[uses].config + withoutFiles[uses]
		if uses == "compose-output" {
			continue // any key is one of its outputs
		}
		for _, wrong := range []string{
			strings.Replace(config, "{", `{"pathh": 1,`, 1), `[]`, `"x"`, `{"path": 1, "message": 1, "inPath": 1, "inFiles": 1, "updates": 1}`,
		} {
			wrong = strings.Replace(wrong, ",}", "}", 1)
			ws := steptest.New(map[string]string{"f": "a: 1\n"})
			_, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: json.RawMessage(wrong)})
			if err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "config of "+uses+" is wrong") || len(ws.Writes) > 0 {
				t.Errorf("%s, %s: %v", uses, wrong, err)
			}
		}
	}
}

// TestBuildIsBounded: small kustomizations that stand for very much.
func TestBuildIsBounded(t *testing.T) {
	levels := map[string]string{"l0/kustomization.yaml": "resources: [a.yaml]\n", "l0/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"}
	for i := 1; i <= 24; i++ {
		for _, side := range []string{"a", "b"} {
			levels[fmt.Sprintf("l%d/%s/kustomization.yaml", i, side)] = fmt.Sprintf("resources: [../../l%d]\nnamePrefix: %s-\n", i-1, side)
		}
		levels[fmt.Sprintf("l%d/kustomization.yaml", i)] = "resources: [a, b]\n"
	}
	for name, tt := range map[string]struct {
		files map[string]string
		path  string
		want  string
	}{
		"aliases": {map[string]string{"p/kustomization.yaml": "resources: [a.yaml]\n", "p/a.yaml": "a: &a [x, x, x, x, x, x, x, x, x]\n" + bomb("a", 9)}, "p", "more than 1048576 values, aliases written out; the last file was p/a.yaml"},
		"bases":   {levels, "l24", "more than 1000 kustomizations, repetitions counted"},
	} {
		ws := steptest.New(tt.files)
		_, err := step.Run(t.Context(), ws, step.Task{Uses: "kustomize-build", Config: json.RawMessage(`{"path": "` + tt.path + `", "outPath": "o.yaml"}`)})
		if err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), tt.want) || len(ws.Writes) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRenderersTellFailuresThatPass: a workspace that cannot be read is no fault of the chart.
func TestRenderersTellFailuresThatPass(t *testing.T) {
	broken := errors.New("connection reset")
	for uses, file := range map[string]string{"helm-template": "c/values.yaml", "helm-update-chart": "c/Chart.yaml", "kustomize-build": "c/a.yaml"} {
		ws := steptest.New(map[string]string{
			"c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies: [{name: d}]\n", "c/values.yaml": "a: 1\n",
			"c/kustomization.yaml": "resources: [a.yaml]\n", "c/a.yaml": "kind: K\n",
		})
		ws.Fail = map[string]error{file: broken}
		config := json.RawMessage(`{"path": "c", "outPath": "o.yaml", "releaseName": "r"}`)
		if uses == "helm-update-chart" {
			config = json.RawMessage(`{"path": "c"}`)
		} else if uses == "kustomize-build" {
			config = json.RawMessage(`{"path": "c", "outPath": "o.yaml"}`)
		}
		if _, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: config}); !errors.Is(err, broken) || promotion.IsTerminal(err) {
			t.Errorf("%s: %v", uses, err)
		}
	}
}
