package registry_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The row of this room: the core's words, the guard of connections, and what it
// takes to talk to registries.
func TestImports(t *testing.T) {
	allowed := []string{
		"github.com/Masterminds/semver/v3",
		"github.com/google/go-containerregistry/pkg/authn",
		"github.com/google/go-containerregistry/pkg/name",
		"github.com/google/go-containerregistry/pkg/v1",
		"github.com/google/go-containerregistry/pkg/v1/remote",
		"github.com/google/go-containerregistry/pkg/v1/remote/transport",
		"github.com/hashicorp/golang-lru/v2",
		"github.com/stagecoach-app/stagecoach/gitops/egress",
		"github.com/stagecoach-app/stagecoach/promotion",
		"github.com/stagecoach-app/stagecoach/server/registry/tag",
		"go.yaml.in/yaml/v3",
	}
	files, err := filepath.Glob("*.go")
	more, _ := filepath.Glob("tag/*.go")
	if err != nil || len(files) == 0 || len(more) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range append(files, more...) {
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
