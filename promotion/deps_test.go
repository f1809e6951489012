package promotion_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: nothing but these of the standard library, which neither
// wait nor reach outside the process.
func TestImports(t *testing.T) {
	allowed := []string{
		"bytes", "cmp", "crypto/sha256", "encoding/hex", "encoding/json", "errors", "fmt", "maps", "path", "reflect", "regexp",
		"slices", "strconv", "strings", "time", "unicode", "unicode/utf8",
		"github.com/stagecoach-app/stagecoach/promotion/window",
	}
	for name, file := range parsed(t) {
		for _, spec := range file.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s, which the core may not", name, path)
			}
		}
	}
}

// The time is given to the core; it reads no clock and waits for none.
func TestNoClock(t *testing.T) {
	clocks := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	for name, file := range parsed(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clocks, sel.Sel.Name) {
					t.Errorf("%s calls time.%s", name, sel.Sel.Name)
				}
			}
			if _, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s starts a goroutine", name)
			}
			return true
		})
	}
}

// parsed are the files of this package, tests apart.
func parsed(t *testing.T) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if out[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if len(out) == 0 {
		t.Fatal("no files found")
	}
	return out
}
