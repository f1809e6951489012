package setup

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: it asks GitHub for an App, and doctor whether it is well.
func TestImports(t *testing.T) {
	const ours = "github.com/stagecoach-app/stagecoach/"
	allowed := []string{
		"github.com/google/go-github/v57/github", "github.com/palantir/go-githubapp/githubapp", "go.yaml.in/yaml/v3",
		ours + "config", ours + "server/doctor",
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			first, _, _ := strings.Cut(path, "/")
			if strings.Contains(first, ".") && !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s, which this room may not", name, path)
			}
		}
	}
}
