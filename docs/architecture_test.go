package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const module = "github.com/stagecoach-app/stagecoach"

// others are the words by which the table of rooms names modules.
var others = map[string]string{
	"bluemonday": "github.com/microcosm-cc/bluemonday", "cobra": "github.com/spf13/cobra", "compress": "github.com/klauspost/compress",
	"expr": "github.com/expr-lang/expr", "ghinstallation": "github.com/bradleyfalzon/ghinstallation/v2",
	"go-billy": "github.com/go-git/go-billy/v5", "go-git": "github.com/go-git/go-git/v5", "go-github": "github.com/google/go-github/v57",
	"doublestar": "github.com/bmatcuk/doublestar/v4", "hcl": "github.com/hashicorp/hcl/v2", "toml": "github.com/pelletier/go-toml/v2",
	"go-githubapp": "github.com/palantir/go-githubapp", "go-metrics": "github.com/rcrowley/go-metrics", "golang-lru": "github.com/hashicorp/golang-lru/v2",
	"goldmark": "github.com/yuin/goldmark", "goleak": "go.uber.org/goleak", "httpcache": "github.com/gregjones/httpcache",
	"containerregistry": "github.com/google/go-containerregistry",
	"burntsushi":        "github.com/BurntSushi/toml", "helm": "helm.sh/helm/v4", "jsonschema": "github.com/santhosh-tekuri/jsonschema/v6", "sigs-yaml": "sigs.k8s.io/yaml", "sprig": "github.com/Masterminds/sprig/v3",
	"kustomize": "sigs.k8s.io/kustomize/api", "kyaml": "sigs.k8s.io/kustomize/kyaml",
	"jwt": "github.com/golang-jwt/jwt/v4", "nats-server": "github.com/nats-io/nats-server/v2", "nats.go": "github.com/nats-io/nats.go",
	"semver": "github.com/Masterminds/semver/v3", "x/time": "golang.org/x/time", "yaml": "go.yaml.in/yaml/v3", "zerolog": "github.com/rs/zerolog",
}

type room struct{ ours, others []string }

// TestRooms sees that every package has a row, and imports what its row lets it.
func TestRooms(t *testing.T) {
	rooms := map[string]room{}
	for _, row := range table(t, "architecture.md", "The rooms") {
		rooms[ticked(row[0])[0]] = room{ticked(row[2]), words(row[3])}
	}
	found := map[string]bool{}
	for file, imports := range imports(t) {
		dir := filepath.ToSlash(filepath.Dir(file))
		found[dir] = true
		r, ok := rooms[dir]
		if !ok {
			t.Errorf("%s: the room %s has no row", file, dir)
			continue
		}
		for _, path := range imports {
			if !r.lets(path) {
				t.Errorf("%s imports %s, which its row does not say", file, path)
			}
		}
	}
	for dir, r := range rooms {
		if !found[dir] {
			t.Errorf("the table has a room %s, which is not there", dir)
		}
		for _, word := range r.others {
			if others[word] == "" {
				t.Errorf("%s: %q stands for no module", dir, word)
			}
		}
	}
}

func (r room) lets(path string) bool {
	if ours, ok := strings.CutPrefix(path, module+"/"); ok {
		return slices.ContainsFunc(r.ours, func(allowed string) bool {
			below, all := strings.CutSuffix(allowed, "…")
			return ours == allowed || all && strings.HasPrefix(ours, below)
		})
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(r.others, func(word string) bool {
		return path == others[word] || strings.HasPrefix(path, others[word]+"/")
	})
}

// imports are those of all Go files, tests apart, by path from the root.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	must(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", path)
		out[rel] = []string{}
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			out[rel] = append(out[rel], name)
		}
		return err
	}))
	return out
}

// TestTraces sees that every kind of effect and every step has its row in the
// table that promotion/effect.go points to, and that its files are there.
func TestTraces(t *testing.T) {
	rows := table(t, "architecture.md", "Where each effect leaves its trace")
	var kinds, steps []string
	for _, row := range rows {
		names := ticked(row[0])
		if len(names) > 0 {
			kinds = append(kinds, names[0])
			steps = append(steps, names[1:]...)
		}
		for _, file := range ticked(row[2]) {
			if _, err := os.Stat("../" + file); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	source, err := os.ReadFile("../promotion/effect.go")
	must(t, err)
	for _, m := range regexp.MustCompile(`Kind\w+\s+Kind = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
		if !slices.Contains(kinds, m[1]) {
			t.Errorf("the effect %s has no row", m[1])
		}
	}
	for _, kind := range promotion.Kinds {
		if !slices.Contains(steps, kind.Uses) {
			t.Errorf("the step %s has no row", kind.Uses)
		}
	}
}
