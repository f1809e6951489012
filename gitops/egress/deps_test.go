package egress

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// The room's row: it imports nothing but the standard library.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if first, _, _ := strings.Cut(strings.Trim(spec.Path.Value, `"`), "/"); strings.Contains(first, ".") {
				t.Errorf("%s imports %s", name, spec.Path.Value)
			}
		}
	}
}
