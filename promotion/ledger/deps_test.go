package ledger

import (
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: besides the standard library it imports promotion alone,
// and of the standard library nothing that waits or reaches outside.
var (
	ours      = []string{"github.com/stagecoach-app/stagecoach/promotion"}
	forbidden = []string{"os", "net", "net/http", "context", "sync", "math/rand", "math/rand/v2", "crypto/rand"}
)

func TestImports(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		name := file.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			outside := strings.Contains(path, ".") && !slices.Contains(ours, path)
			if outside || slices.Contains(forbidden, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
	if seen == 0 {
		t.Error("no file was looked at")
	}
}
