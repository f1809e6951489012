package store_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: promotion, NATS, a compressor that NATS brings, and the log.
func TestImports(t *testing.T) {
	allowed := []string{
		"github.com/stagecoach-app/stagecoach/promotion", "github.com/nats-io/nats.go",
		"github.com/klauspost/compress/zstd", "github.com/rs/zerolog",
	}
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
				if path == a || strings.HasPrefix(path, a+"/") && !strings.HasPrefix(a, "github.com/stagecoach-app/") {
					continue imports
				}
			}
			t.Errorf("%s imports %s, which this room may not", file, path)
		}
	}
}
