package yamledit_test

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// values is a file of about 30 KB.
func values() []byte {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "service%d: # owned by team %d\n  image:\n    repository: ghcr.io/acme/service%d\n    tag: \"1.4.%d\"\n  replicas: %d\n  env: [a, b]\n", i, i%7, i, i, i%5)
	}
	return []byte(b.String())
}

func BenchmarkSet(b *testing.B) {
	src := values()
	path := yamledit.Path{"service150", "image", "tag"}
	for b.Loop() {
		f, err := yamledit.Parse(src)
		if err == nil {
			err = f.Set(path, yamledit.String("2.0.0"))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLibrary reads and writes the same file with the YAML library, for
// comparison.
func BenchmarkLibrary(b *testing.B) {
	src := values()
	for b.Loop() {
		var n yaml.Node
		if err := yaml.Unmarshal(src, &n); err != nil {
			b.Fatal(err)
		}
		if _, err := yaml.Marshal(&n); err != nil {
			b.Fatal(err)
		}
	}
}
