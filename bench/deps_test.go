package main

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rivals are what the product is measured against, by what their paths begin with.
var rivals = []string{
	"github.com/palantir/go-githubapp/githubapp", "github.com/nats-io/nats.go/jetstream", "go.yaml.in/yaml/v3", "helm.sh/helm/v4/", "sigs.k8s.io/kustomize/",
}

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
			allowed := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
			if strings.Contains(first, ".") && !allowed("github.com/stagecoach-app/stagecoach/") && !slices.ContainsFunc(rivals, allowed) {
				t.Errorf("%s imports %s, which this room may not", name, path)
			}
		}
	}
}
