package worktree

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestImports holds this room's row of docs/architecture.md.
func TestImports(t *testing.T) {
	const ours = "github.com/stagecoach-app/stagecoach/"
	allowed := map[string]bool{ours + "gitops/step": true, ours + "promotion": true}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			if strings.Contains(path, ".") && !allowed[path] && !strings.HasPrefix(path, "github.com/go-git/go-git/v5") {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}
