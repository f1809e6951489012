package helm

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
)

// Guards and bounds change nothing about what a chart renders to: these charts
// come out of Helm's engine alone and of ours to the byte.
func TestSameAsTheEngine(t *testing.T) {
	dirs := append(charts(t, "../testdata/helm-template/usual/before"), charts(t, "testdata")...)
	if up, err := filepath.Abs("../../../../shared/gitops"); err == nil {
		dirs = append(dirs, charts(t, up)...)
	}
	if len(dirs) < 2 {
		t.Fatalf("only %q", dirs)
	}
	for _, dir := range dirs {
		want, wantErr := render(t, dir, func(c *chart.Chart, scope common.Values) (map[string]string, error) {
			return engine.Engine{}.RenderWithContext(t.Context(), c, scope)
		})
		got, err := render(t, dir, func(c *chart.Chart, scope common.Values) (map[string]string, error) {
			return execute(t.Context(), c, scope)
		})
		if (err == nil) != (wantErr == nil) || wantErr != nil && strings.Contains(dir, "testdata") {
			t.Errorf("%s: %v, and the engine alone: %v", dir, err, wantErr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (- engine, + ours):\n%s", dir, diff)
		}
	}
}

func render(t *testing.T, dir string, run func(*chart.Chart, common.Values) (map[string]string, error)) (map[string]string, error) {
	t.Helper()
	c, err := loader.LoadDir(dir)
	if err != nil {
		t.Fatal(dir, err)
	}
	scope, err := commonutil.ToRenderValuesWithSchemaValidation(c, map[string]any{}, common.ReleaseOptions{Name: "r", Namespace: "n", IsInstall: true}, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	return run(c, scope)
}

// charts are the folders with a Chart.yaml below dir.
func charts(t *testing.T, dir string) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "Chart.yaml" && !strings.Contains(name, "/charts/") {
			dirs = append(dirs, filepath.Dir(name))
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return dirs
}

// Every function of the engine that may give a large value is metered.
func TestAllFunctionsAreMetered(t *testing.T) {
	metered := (<-freeMeters)
	defer func() { freeMeters <- metered }()
	for name := range functionsOf() {
		if metered.functions[name] == nil && !slices.Contains(frugal, name) {
			t.Errorf("%s is not", name)
		}
	}
	for _, name := range left {
		if metered.functions[name] != nil {
			t.Errorf("%s is given to templates", name)
		}
	}
	if dns := metered.functions["getHostByName"]; dns != nil {
		t.Error("names are looked up")
	}
}

// What has no meter makes nothing that is much larger than what it is given.
func TestFrugalFunctions(t *testing.T) {
	const given = 100_000
	x := strings.Repeat("aȺ1 ", given/5) // the lower case of one of its letters has a byte more
	all := functionsOf()
	for _, name := range frugal {
		f := reflect.ValueOf(all[name])
		args := map[int][]any{1: {x}, 2: {x, x}, 3: {x, x, true}}[f.Type().NumIn()]
		switch name {
		case "trunc":
			args = []any{given, x}
		case "get", "hasKey":
			args = []any{map[string]any{"a": x}, "a"}
		case "float64", "int", "int64", "add1", "add", "sub", "mul", "div", "mod", "max", "min":
			args = []any{123456789, 1000, 1000}[:f.Type().NumIn()]
		case "semverCompare":
			args = []any{">1.0.0", "1.2.3"}
		}
		var values []reflect.Value
		for _, arg := range args {
			values = append(values, reflect.ValueOf(arg))
		}
		if made := len(fmt.Sprint(f.Call(values)[0].Interface())); made > given*3/2 {
			t.Errorf("%s makes %d bytes of %d", name, made, given)
		}
	}
}

func FuzzInstrument(f *testing.F) {
	for _, seed := range []string{"{{ range .x -}}\n a{{ end }}", "{{/* {{ */}}{{ tpl `}}` . }}", "{{ tpl (tpl \"a\" .) . | tpl", "{{- define \"x\" -}} {{ end -}}", "{{ '", "{{ \"\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got := instrument(source)
		plain := strings.NewReplacer(guardCall, "", guardTrims, "").Replace(got)
		if strings.Count(got, "\n") != strings.Count(source, "\n") {
			t.Errorf("%q has other lines: %q", source, got)
		}
		if !strings.Contains(source, "tpl") && plain != source && !strings.Contains(source, guardFunction) {
			t.Errorf("%q became %q", source, got)
		}
	})
}
