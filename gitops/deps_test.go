package gitops_test

import (
	"go/parser"
	gotoken "go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestImports states this room's row of the rooms table.
func TestImports(t *testing.T) {
	const ours = "github.com/stagecoach-app/stagecoach/"
	allowed := []string{
		ours + "promotion", ours + "internal/dirlock", "github.com/go-git/go-git/v5/", "github.com/go-git/go-billy/v5/", "github.com/rs/zerolog",
	}
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), ".go") || strings.HasSuffix(n.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(gotoken.NewFileSet(), n.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			path, _ := strconv.Unquote(imp.Path.Value)
			if host, _, _ := strings.Cut(path, "/"); strings.Contains(host, ".") && !permitted(path, allowed) {
				t.Errorf("%s imports %s", n.Name(), path)
			}
		}
	}
}

func permitted(path string, allowed []string) bool {
	for _, a := range allowed {
		if path == a || strings.HasSuffix(a, "/") && strings.HasPrefix(path, a) {
			return true
		}
	}
	return false
}
