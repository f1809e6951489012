package dashboard_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: it reads the store, and shows what the ledger says.
func TestImports(t *testing.T) {
	allowed := []string{
		"github.com/hashicorp/golang-lru/v2",
		"github.com/rs/zerolog",
		"github.com/stagecoach-app/stagecoach/promotion",
		"github.com/stagecoach-app/stagecoach/promotion/ledger",
		"github.com/stagecoach-app/stagecoach/server/flowchart",
		"github.com/stagecoach-app/stagecoach/server/store",
		"github.com/yuin/goldmark",
		"github.com/yuin/goldmark/ast",
		"github.com/yuin/goldmark/text",
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
