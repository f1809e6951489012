package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDependencies compares the page with what the code imports: modules of the
// binary with those of files, the others with those of tests and tools.
func TestDependencies(t *testing.T) {
	binary, tests := imported(t)
	rows := map[string]string{} // module → the table that it stands in
	for _, title := range []string{"In the binary", "In tests and tools"} {
		for _, row := range table(t, "dependencies.md", title) {
			rows[ticked(row[0])[0]] = title
		}
	}
	for module := range binary {
		if rows[module] != "In the binary" {
			t.Errorf("%s is in the binary and has no row there", module)
		}
	}
	for module := range tests {
		if rows[module] == "" {
			t.Errorf("%s has no row", module)
		}
	}
	lint, err := os.ReadFile("../tools/lint.mod")
	must(t, err)
	for module, title := range rows {
		if !binary[module] && !tests[module] && !strings.Contains(string(lint), module) && !required(t)[module] {
			t.Errorf("%s stands under %q and is no dependency", module, title)
		}
	}
}

// TestFixedSet compares the versions on the page with those of go.mod.
func TestFixedSet(t *testing.T) {
	file, err := os.ReadFile("../go.mod")
	must(t, err)
	for _, row := range table(t, "dependencies.md", "The fixed set") {
		module, version := ticked(row[0])[0], strings.Split(row[1], ",")[0]
		if strings.HasPrefix(version, "v") && !strings.Contains(string(file), module+" "+version+"\n") {
			t.Errorf("go.mod does not have %s %s", module, version)
		}
	}
}

// required are the modules of go.mod.
func required(t *testing.T) map[string]bool {
	t.Helper()
	file, err := os.ReadFile("../go.mod")
	must(t, err)
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(?:require )?\t?(\S+\.\S+/?\S*) v\S+`).FindAllStringSubmatch(string(file), -1) {
		out[m[1]] = true
	}
	return out
}

// imported are the modules that the code imports, and those that tests alone do.
func imported(t *testing.T) (binary, tests map[string]bool) {
	t.Helper()
	modules := required(t)
	binary, tests = map[string]bool{}, map[string]bool{}
	must(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		into := binary
		if folder := filepath.Base(filepath.Dir(path)); strings.HasSuffix(path, "_test.go") || strings.HasSuffix(folder, "test") {
			into = tests // a room whose name ends in test is for tests
		}
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if module := moduleOf(modules, name); module != "" {
				into[module] = true
			}
		}
		return nil
	}))
	return binary, tests
}

// moduleOf is the module that holds a package; empty: the standard library, or ours.
func moduleOf(modules map[string]bool, path string) string {
	for path != "." && path != "/" {
		if modules[path] {
			return path
		}
		path = filepath.ToSlash(filepath.Dir(path))
	}
	return ""
}
