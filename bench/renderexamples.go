//go:build !race && !small

package main

import (
	"context"
	"embed"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// example is a repository as people have them: a kustomization with a base, a
// component and three environments, and a chart with the usual templates.
//
//go:embed all:testdata/gitops
var example embed.FS

func embedded() (map[string]string, error) {
	root, err := fs.Sub(example, "testdata/gitops")
	if err != nil {
		return nil, err
	}
	return filesBelow(root)
}

// filesBelow reads a folder.
func filesBelow(root fs.FS) (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(root, name)
		files[name] = string(raw)
		return err
	})
	return files, err
}

// neighbours are real repositories that stand beside this one where the
// maintainers work; elsewhere there are none.
func neighbours() []string {
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		all, _ := filepath.Glob(filepath.Join(dir, "shared", "gitops", "*", "*")) // a wrong pattern alone is an error
		var repositories []string
		for _, name := range all {
			if repo := filepath.Dir(name); !slices.Contains(repositories, repo) {
				repositories = append(repositories, repo)
			}
		}
		if len(repositories) > 0 {
			return repositories
		}
	}
	return nil
}

// subjects are the folders that both the step and its library can render: those
// that need the network, or other programs, are left out.
func subjects(ctx context.Context, files map[string]string) []subject {
	defer hush()()
	kinds := map[string]string{"kustomization.yaml": "kustomize-build", "Chart.yaml": "helm-template"}
	var out []subject
	for _, name := range slices.Sorted(maps.Keys(files)) {
		uses, dir := kinds[path.Base(name)], path.Dir(name)
		if uses == "" || strings.Contains(files[name], "kind: Component") {
			continue
		}
		s := subject{uses: uses, dir: dir, files: files}
		ours, _, err := s.step(ctx)
		if err != nil || ours == "" {
			continue
		}
		if theirs, _, err := libraries[uses](s); err == nil && theirs != "" {
			out = append(out, s)
		}
	}
	return out
}
