package config_test

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// This room may import promotion, its windows and a YAML parser; of the standard library
// nothing that reaches outside the process (net only takes addresses apart).
func TestDependencies(t *testing.T) {
	allowed := []string{
		"github.com/stagecoach-app/stagecoach/promotion",
		"github.com/stagecoach-app/stagecoach/promotion/window",
		"go.yaml.in/yaml/v3",
	}
	forbidden := []string{"os", "net/http", "os/exec", "syscall", "unsafe"}
	for file, imports := range importsOf(t) {
		for _, path := range imports {
			outside := strings.Contains(strings.Split(path, "/")[0], ".")
			if outside && !contains(allowed, path) || contains(forbidden, path) {
				t.Errorf("%s imports %s, which the rooms do not allow", file, path)
			}
		}
	}
}

// importsOf parses what the files of this package, tests apart, import.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = append(out[name], path)
		}
	}
	if len(out) == 0 {
		t.Fatal("no files found")
	}
	return out
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}
