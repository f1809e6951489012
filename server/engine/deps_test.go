package engine

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: NATS, the log, and the lock of directories.
func TestImports(t *testing.T) {
	allowed := []string{"github.com/nats-io/", "github.com/rs/zerolog", "github.com/stagecoach-app/stagecoach/internal/dirlock"}
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
	imports:
		for _, spec := range tree.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
				continue // the standard library
			}
			for _, a := range allowed {
				if strings.HasPrefix(path, a) {
					continue imports
				}
			}
			t.Errorf("%s imports %s, which this room may not", file, path)
		}
	}
}
