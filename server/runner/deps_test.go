package runner_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: git, the steps, and pipeline files. GitHub's API stands
// behind an interface.
func TestImports(t *testing.T) {
	allowed := []string{
		"github.com/stagecoach-app/stagecoach/config",
		"github.com/stagecoach-app/stagecoach/gitops",
		"github.com/stagecoach-app/stagecoach/gitops/egress",
		"github.com/stagecoach-app/stagecoach/gitops/step",
		"github.com/stagecoach-app/stagecoach/gitops/worktree",
		"github.com/stagecoach-app/stagecoach/promotion",
		"github.com/stagecoach-app/stagecoach/promotion/expr",
		"github.com/stagecoach-app/stagecoach/server/plan",
		"github.com/stagecoach-app/stagecoach/server/registry",
		"github.com/stagecoach-app/stagecoach/server/registry/tag",
		"golang.org/x/time/rate",
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
