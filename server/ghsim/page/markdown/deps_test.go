package markdown_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: goldmark, bluemonday, and the drawing of flowcharts.
func TestImports(t *testing.T) {
	allowed := []string{
		"github.com/yuin/goldmark", "github.com/microcosm-cc/bluemonday", "github.com/stagecoach-app/stagecoach/server/flowchart",
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range tree.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && !slices.ContainsFunc(allowed, under(path)) {
				t.Errorf("%s imports %s, which this room may not", file, path)
			}
		}
	}
}

// under says whether path is a package or below it.
func under(path string) func(string) bool {
	return func(allowed string) bool { return path == allowed || strings.HasPrefix(path, allowed+"/") }
}
