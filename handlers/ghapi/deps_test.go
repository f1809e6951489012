package ghapi_test

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// allowed are the packages outside the standard library that this room may
// import: its row of the table of rooms.
var allowed = []string{
	"github.com/stagecoach-app/stagecoach/promotion",
	"github.com/google/go-github/v57/github",
	"github.com/palantir/go-githubapp/githubapp",
	"github.com/stagecoach-app/stagecoach/promotion/ledger",
	"github.com/bradleyfalzon/ghinstallation/v2",
	"github.com/golang-jwt/jwt/v4", // to sign by GitHub's clock what ghinstallation signs by ours
	"github.com/gregjones/httpcache",
	"github.com/hashicorp/golang-lru/v2",
	"github.com/rcrowley/go-metrics", // the registry that go-githubapp counts in
	"github.com/rs/zerolog",
	"golang.org/x/time/rate",
}

func TestImportsStayInTheRoom(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := f.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if strings.Contains(path, ".") && !mayImport(path) {
				t.Errorf("%s imports %s, which this room may not", name, path)
			}
		}
	}
}

func mayImport(path string) bool {
	for _, a := range allowed {
		if path == a || a != allowed[0] && strings.HasPrefix(path, a+"/") {
			return true
		}
	}
	return false
}
