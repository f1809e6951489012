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

// The row of this room: flags in, exit code out. Of ours config, server, gitops
// and promotion, with the rooms inside them; handlers only through server.
func TestImports(t *testing.T) {
	const ours = "github.com/stagecoach-app/stagecoach/"
	rooms := []string{"config", "server", "gitops", "promotion"}
	others := []string{"github.com/rs/zerolog", "github.com/spf13/cobra"}
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
			room, isOurs := strings.CutPrefix(path, ours)
			room, _, _ = strings.Cut(room, "/")
			if strings.Contains(first, ".") && !slices.Contains(others, path) && !(isOurs && slices.Contains(rooms, room)) {
				t.Errorf("%s imports %s, which this room may not", name, path)
			}
		}
	}
}
