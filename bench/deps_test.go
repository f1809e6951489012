package main

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestImports states this room's row of the rooms table: every room of ours, and of
// others what the product is measured against.
func TestImports(t *testing.T) {
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
			rival := path == "github.com/palantir/go-githubapp/githubapp" || path == "github.com/nats-io/nats.go/jetstream"
			if strings.Contains(first, ".") && !strings.HasPrefix(path, "github.com/stagecoach-app/stagecoach/") && !rival {
				t.Errorf("%s imports %s, which this room may not", name, path)
			}
		}
	}
}
