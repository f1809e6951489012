package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFaults(t *testing.T) {
	tests := []struct{ name, imports, want string }{
		{"none", "", ""},
		{"one", "import \"fmt\"\n", ""},
		{"groups", "import (\n\t\"fmt\"\n\t\"os\"\n\n\t\"a.b/c\"\n\n\t\"" + ours + "config\"\n)\n", ""},
		{"a group is missing", "import (\n\t\"fmt\"\n\n\t\"" + ours + "config\"\n)\n", ""},
		{"a comment above", "import (\n\t\"fmt\"\n\t// For its side effects.\n\t_ \"os\"\n)\n", ""},
		{"no line between", "import (\n\t\"fmt\"\n\t\"" + ours + "config\"\n)\n", "three groups"},
		{"a line inside", "import (\n\t\"fmt\"\n\n\t\"os\"\n)\n", "three groups"},
		{"wrong order", "import (\n\t\"" + ours + "config\"\n\n\t\"a.b/c\"\n)\n", "three groups"},
		{"not formatted", "import \"fmt\"\nvar  x = 1\n", "gofmt"},
		{"no Go", "import fmt\n", "missing import path"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := errors.Join(faults([]byte(strings.TrimSpace("package x\n\n"+tt.imports) + "\n"))...)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("main.go", "package main\n")
	write("a/doc.go", "// Package a is for nothing.\npackage a\n")
	write("a/testdata/broken.go", "package\n")
	write(".hidden/broken.go", "package\n")
	write("tests/only_test.go", "package tests\n")
	if err := sources(dir); err != nil {
		t.Errorf("got %v", err)
	}
	write("b/b.go", "package b\n")
	write("a/a.go", "package  a\n")
	err := sources(dir)
	if err == nil || !strings.Contains(err.Error(), filepath.Join("b: there is no doc.go")) || !strings.Contains(err.Error(), "a.go: it is not formatted") {
		t.Errorf("got %v", err)
	}
}

func TestNewEnough(t *testing.T) {
	for text, ok := range map[string]bool{
		"git version 2.38.0\n": true, "git version 2.50.1 (Apple Git-155)\n": true, "git version 3.0.0.windows.1": true,
		"git version 2.37.9": false, "git version 1.99": false, "hub": false,
	} {
		if err := newEnough(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRaceless(t *testing.T) {
	there := func(name string) (string, error) { return "/usr/bin/" + name, nil }
	gone := func(string) (string, error) { return "", errors.New("not found") }
	tests := []struct {
		system, cgo, cc string
		look            func(string) (string, error)
		want            string
	}{
		{"linux", "1", "gcc -m64", there, ""},
		{"linux", "1", "gcc", gone, "there is no C compiler (gcc)"},
		{"linux", "0", "gcc", there, "CGO_ENABLED is not 1"},
		{"darwin", "0", "clang", gone, ""},
		{"windows", "1", "", there, "there is no C compiler"},
	}
	for _, tt := range tests {
		if got := racelessOn(tt.system, tt.cgo, tt.cc, tt.look); got != tt.want {
			t.Errorf("%s, CGO_ENABLED=%s, %q: got %q, want %q", tt.system, tt.cgo, tt.cc, got, tt.want)
		}
	}
}

func TestHasBrowser(t *testing.T) {
	for there, want := range map[string]bool{"": false, "firefox": false, "chromium": true, "google-chrome": true} {
		got := hasBrowser(func(name string) (string, error) {
			if name == there {
				return "/usr/bin/" + name, nil
			}
			return "", exec.ErrNotFound
		})
		if got != want {
			t.Errorf("with %q: %v", there, got)
		}
	}
}

func TestRunRefusesUnknownNames(t *testing.T) {
	err := run(t.Context(), []string{"format", "tests"})
	if err == nil || !strings.Contains(err.Error(), `there is no check "tests"; there are git, format, vet, lint, vet-large, test`) {
		t.Errorf("got %v", err)
	}
}

// A package that starts goroutines belongs under the race detector.
func TestWithoutRaceStartNoGoroutine(t *testing.T) {
	for _, dir := range withoutRace {
		files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("there is no package %s (%v)", dir, err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if startsGoroutine(n) {
					t.Errorf("%s starts goroutines", name)
				}
				return true
			})
		}
	}
}

// startsGoroutine recognises the go statement, WaitGroup.Go, and parallel tests.
func startsGoroutine(n ast.Node) bool {
	if _, ok := n.(*ast.GoStmt); ok {
		return true
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "Go" || sel.Sel.Name == "Parallel" || sel.Sel.Name == "RunParallel")
}

// A test that is renamed would run under the detector again, and nowhere without it.
func TestRaceStoriesAreThere(t *testing.T) {
	files, err := filepath.Glob("../../server/*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	var all strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	for name := range strings.SplitSeq(strings.Trim(raceStories, "^()$"), "|") {
		if !strings.Contains(all.String(), "func "+name+"(") {
			t.Errorf("server has no %s", name)
		}
	}
}

// What is left out of vet and lint because of its size comes in by no test file either: each library there would be
// compiled, and judged, in full.
func TestLargeLibrariesAreLeftOut(t *testing.T) {
	t.Chdir("../..")
	dirs, err := smallPackages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", append([]string{"list", "-deps", "-test", withoutLarge, "-f", "{{.ImportPath}} {{join .Imports \" \"}}"}, dirs...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(line, " ")
		for _, library := range []string{"helm.sh/helm/", "k8s.io/client-go/", "sigs.k8s.io/kustomize/"} {
			if strings.HasPrefix(path, ours[:len(ours)-1]) && strings.Contains(imports, library) {
				t.Errorf("%s imports %s: give the file the build constraint !small", path, library)
			}
		}
	}
}

// Vet-large judges all files that the others leave out.
func TestLargeFilesAreJudgedWhenAsked(t *testing.T) {
	t.Chdir("../..")
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && strings.HasPrefix(string(content), "//go:build") && strings.Contains(strings.SplitN(string(content), "\n", 2)[0], "!small") && !slices.Contains(linksLarge, filepath.Dir(path)) {
			t.Errorf("%s is judged by nobody: name its folder in linksLarge", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever npm brings, only the package whose checksum is known is taken.
func TestAxeIsTheOneThatIsKnown(t *testing.T) {
	dir := t.TempDir()
	npm := filepath.Join(dir, "npm")
	if err := os.WriteFile(npm, []byte("#!/bin/sh\necho other > axe-core-"+strings.TrimPrefix(axePackage, "axe-core@")+".tgz\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	if err := fetchAxe(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("got %v", err)
	}
}
