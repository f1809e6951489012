package kustomize_test

import (
	"io"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// terminal runs do, and returns what was written to standard error and to the log.
func terminal(t *testing.T, do func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before, logs := os.Stderr, log.Writer()
	os.Stderr = w
	log.SetOutput(w)
	defer func() { os.Stderr = before; log.SetOutput(logs) }()
	do()
	_ = w.Close()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// What Kustomize would write to the server's terminal stands in the step's message.
func TestWarnings(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"deprecated": {map[string]string{
			"prod/kustomization.yaml": "bases: [../base]\ncommonLabels: {a: b}\npatchesStrategicMerge: []\n", "base/kustomization.yaml": "resources: [a.yaml]\nvars: []\n",
		}, "Rendered to out.yaml (1 file changed). Kustomize warns of prod/kustomization.yaml: 'bases' is deprecated. Please use 'resources' instead." +
			" Kustomize warns of prod/kustomization.yaml: 'commonLabels' is deprecated. Please use 'labels' instead." +
			" Kustomize warns of prod/kustomization.yaml: 'patchesStrategicMerge' is deprecated. Please use 'patches' instead. There are 1 more warnings."},
		"of its log": {map[string]string{
			"prod/kustomization.yaml": "resources: [../base/a.yaml]\nvars: [{name: X, objref: {apiVersion: v1, kind: ConfigMap, name: a}}]\n",
		}, "well-defined vars that were never replaced: X."},
		"none": {map[string]string{"prod/kustomization.yaml": "resources: [../base]\n", "base/kustomization.yaml": "resources: [a.yaml]\n"}, "Rendered to out.yaml (1 file changed)."},
	} {
		tt.files["base/a.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
		if name == "of its log" {
			tt.files["prod/kustomization.yaml"] = strings.Replace(tt.files["prod/kustomization.yaml"], "../base/a.yaml", "a.yaml", 1)
			tt.files["prod/a.yaml"] = tt.files["base/a.yaml"]
		}
		var out step.Outcome
		var err error
		written := terminal(t, func() {
			if out, err = build(t, steptest.New(tt.files), nil); err == nil {
				log.Print("of somebody else")
			}
		})
		if err != nil || !strings.HasSuffix(out.Message, tt.want) {
			t.Errorf("%s: %v, it says %q, want %q", name, err, out.Message, tt.want)
		}
		if !strings.HasSuffix(written, "of somebody else\n") || strings.Count(written, "\n") != 1 {
			t.Errorf("%s: the terminal got %q", name, written)
		}
	}
}

// TestTheLibraryCannotEndTheProcess: with a ConfigMap whose data has an empty key it
// calls log.Fatal, which would end the server for everybody.
func TestTheLibraryCannotEndTheProcess(t *testing.T) {
	for _, field := range []string{"data", "binaryData"} {
		ws := steptest.New(map[string]string{
			"prod/kustomization.yaml": "resources: [a.yaml]\nconfigMapGenerator: [{name: a, behavior: merge, literals: [x=y]}]\n",
			"prod/a.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" + field + ": {'': dGV4dA==}\n",
		})
		_, err := build(t, ws, nil)
		if err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "kustomize build prod: wrong node kind") || len(ws.Writes) > 0 {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := build(t, steptest.New(map[string]string{"prod/kustomization.yaml": "resources: [a.yaml]\n", "prod/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"}), nil); err != nil {
		t.Errorf("the next build: %v", err)
	}
}
