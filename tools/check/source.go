package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const ours = "github.com/stagecoach-app/stagecoach/"

// sources looks at the form of every Go file below root, and sees that every
// package says what it is for in a doc.go.
func sources(root string) error {
	var wrong []error
	folders := map[string]bool{} // with Go code → has a doc.go
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if dir := filepath.Dir(path); !strings.HasSuffix(path, "_test.go") {
			folders[dir] = folders[dir] || d.Name() == "doc.go"
		}
		for _, fault := range faults(src) {
			wrong = append(wrong, fmt.Errorf("%s: %w", path, fault))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the sources: %w", err)
	}
	for dir, hasDoc := range folders {
		if !hasDoc && dir != root { // main.go says what the binary is for
			wrong = append(wrong, fmt.Errorf("%s: there is no doc.go that says what the package is for", dir))
		}
	}
	return errors.Join(wrong...)
}

// faults are what is wrong with the form of one file.
func faults(src []byte) []error {
	formatted, err := format.Source(src)
	if err != nil {
		return []error{err}
	}
	var out []error
	if !bytes.Equal(formatted, src) {
		out = append(out, errors.New("it is not formatted; run gofmt -w on it"))
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return append(out, err)
	}
	if !grouped(set, file) {
		out = append(out, errors.New("imports stand in three groups with one empty line between: standard library, others, ours"))
	}
	return out
}

// grouped reports whether the imports stand in their groups, in order, each
// parted from the one before by an empty line and not parted inside.
func grouped(set *token.FileSet, file *ast.File) bool {
	lastGroup, lastLine := -1, 0
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return false
		}
		group, line := groupOf(path), set.Position(spec.Pos()).Line
		if spec.Doc != nil {
			line = set.Position(spec.Doc.Pos()).Line
		}
		switch {
		case lastGroup < 0:
		case group < lastGroup:
			return false
		case group == lastGroup && line != lastLine+1:
			return false
		case group > lastGroup && line == lastLine+1:
			return false
		}
		lastGroup, lastLine = group, set.Position(spec.End()).Line
	}
	return true
}

// groupOf is 0 for the standard library, whose paths have no dot in front, 1 for
// others, and 2 for ours.
func groupOf(path string) int {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case strings.HasPrefix(path, ours):
		return 2
	case strings.Contains(first, "."):
		return 1
	}
	return 0
}
