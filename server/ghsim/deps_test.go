package ghsim_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The room imports nothing of ours and no client library that the product uses: both must not share a mistake.
func TestImports(t *testing.T) {
	allowed := map[string]bool{"github.com/golang-jwt/jwt/v4": true, "github.com/rs/zerolog": true}
	files, err := filepath.Glob("*.go")
	must(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		must(t, err)
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			must(t, err)
			if strings.Contains(path, ".") && !allowed[path] {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}
