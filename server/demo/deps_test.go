package demo

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The demo may import every room of ours, but of outside modules only the
// logger: all else it does through the rooms.
func TestDependencies(t *testing.T) {
	outside := []string{"github.com/rs/zerolog"}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			ours := strings.HasPrefix(path, "github.com/stagecoach-app/stagecoach/")
			if strings.Contains(path, ".") && !ours && !slices.Contains(outside, path) {
				t.Errorf("%s imports %s, which the rooms do not allow", file, path)
			}
		}
	}
}
