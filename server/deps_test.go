package server_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: it wires the others together, and speaks HTTP.
func TestImports(t *testing.T) {
	allowed := []string{
		"github.com/google/go-github/v57/github",
		"github.com/palantir/go-githubapp/githubapp",
		"github.com/rcrowley/go-metrics",
		"github.com/rs/zerolog",
		"github.com/stagecoach-app/stagecoach/config",
		"github.com/stagecoach-app/stagecoach/gitops",
		"github.com/stagecoach-app/stagecoach/gitops/egress",
		"github.com/stagecoach-app/stagecoach/handlers",
		"github.com/stagecoach-app/stagecoach/handlers/ghapi",
		"github.com/stagecoach-app/stagecoach/promotion",
		"github.com/stagecoach-app/stagecoach/promotion/ledger",
		"github.com/stagecoach-app/stagecoach/server/dashboard",
		"github.com/stagecoach-app/stagecoach/server/engine",
		"github.com/stagecoach-app/stagecoach/server/eventlog",
		"github.com/stagecoach-app/stagecoach/server/metric",
		"github.com/stagecoach-app/stagecoach/server/registry",
		"github.com/stagecoach-app/stagecoach/server/runner",
		"github.com/stagecoach-app/stagecoach/server/store",
		"github.com/stagecoach-app/stagecoach/server/sweep",
		"github.com/stagecoach-app/stagecoach/server/worker",
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
