package deptest

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

// Ours is what the import paths of all rooms begin with.
const Ours = "github.com/stagecoach-app/stagecoach/"

// Imports fails for each package that a file of the room, tests apart, imports and
// that is neither of the standard library nor allowed. One that ends in "/..." allows
// the package before that and all below it, as in the go command.
func Imports(t testing.TB, allowed ...string) {
	t.Helper()
	ImportsIn(t, ".", allowed...)
}

// ImportsIn is Imports for the package in a directory below the room's.
func ImportsIn(t testing.TB, dir string, allowed ...string) {
	t.Helper()
	each(t, dir, func(name, path string) {
		if !standard(path) && !slices.ContainsFunc(allowed, func(a string) bool { return admits(a, path) }) {
			t.Errorf("%s imports %s, which this room may not", name, path)
		}
	})
}

// Only fails for each import that is not among the packages, those of the standard
// library included.
func Only(t testing.TB, packages ...string) {
	t.Helper()
	each(t, ".", func(name, path string) {
		if !slices.Contains(packages, path) {
			t.Errorf("%s imports %s, which this room may not", name, path)
		}
	})
}

// Without fails for each import of one of the packages.
func Without(t testing.TB, packages ...string) {
	t.Helper()
	each(t, ".", func(name, path string) {
		if slices.Contains(packages, path) {
			t.Errorf("%s imports %s, which this room may not", name, path)
		}
	})
}

// each calls do with every import of the files in a directory, tests apart.
func each(t testing.TB, dir string, do func(name, path string)) {
	t.Helper()
	for name, file := range files(t, dir, parser.ImportsOnly) {
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			do(name, path)
		}
	}
}

// standard reports whether a package is of the standard library: those of modules
// begin with a host's name.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func admits(allowed, path string) bool {
	base, below := strings.CutSuffix(allowed, "/...")
	return path == base || below && strings.HasPrefix(path, base+"/")
}

// Files are the room's files, tests apart, parsed, by name. A room without any fails.
func Files(t testing.TB) map[string]*ast.File {
	t.Helper()
	return files(t, ".", 0)
}

func files(t testing.TB, dir string, mode parser.Mode) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if out[name], err = parser.ParseFile(token.NewFileSet(), name, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no files in %s", dir)
	}
	return out
}
