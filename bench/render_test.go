//go:build !race && !small

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// What is measured is the same work: both sides give the same manifests.
func TestBothRenderTheSame(t *testing.T) {
	files, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	all := subjects(t.Context(), files)
	var dirs []string
	for _, s := range all {
		dirs = append(dirs, s.dir)
	}
	if want := []string{"chart", "kustomize/base", "kustomize/envs/dev", "kustomize/envs/prod", "kustomize/envs/staging"}; !slices.Equal(dirs, want) {
		t.Errorf("the example repository has %v to render, want %v", dirs, want)
	}
	for _, s := range append(all, subject{uses: "kustomize-build", dir: "prod", files: kustomization()}, subject{uses: "helm-template", dir: "chart", files: chart()}) {
		ours, _, err := s.step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		theirs, _, err := libraries[s.uses](s)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(documents(t, theirs), documents(t, ours)); diff != "" {
			t.Errorf("%s of %s (- the library's, + ours):\n%s", s.uses, s.dir, diff)
		}
	}
}

func documents(t *testing.T, text string) []any {
	t.Helper()
	var all []any
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var doc any
		if err := d.Decode(&doc); err != nil {
			return all
		}
		if doc != nil {
			all = append(all, doc)
		}
	}
}
