package demo

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server/runner"
)

func TestSuggest(t *testing.T) {
	const image = "spec: {containers: [\n  {\n    image: nginx:1.29\n}]}\n"
	tests := []struct {
		name     string
		files    map[string]string
		branch   string
		from     string
		stages   []string
		contains []string
	}{
		{
			name: "nothing that looks like environments", branch: "main", stages: []string{"dev", "staging", "prod"},
			files: map[string]string{"README.md": "", "guestbook/deployment.yaml": image}, contains: []string{"ignore: ['envs/**', '.github/**']"},
		},
		{
			name: "kustomize with images", branch: "main", from: "envs/", stages: []string{"dev", "staging", "prod"},
			files: map[string]string{
				"envs/prod/kustomization.yaml": "images:\n  - name: ghcr.io/acme/web\n    newTag: a\n", "envs/dev/kustomization.yaml": "images:\n- name: 'ghcr.io/acme/web' # x\n",
				"envs/staging/kustomization.yaml": "images:\n  - name: ghcr.io/acme/web\n", "app/deployment.yaml": image,
			},
			contains: []string{"paths: ['app/**']", "kustomize-set-image", "images: [{image: ghcr.io/acme/web, tag:", "path: envs/prod"},
		},
		{
			name: "kustomize without images, as in Kargo's example", branch: "trunk", from: "stages/", stages: []string{"test", "uat", "prod"},
			files: map[string]string{
				"stages/prod/kustomization.yaml": "", "stages/test/kustomization.yaml": "", "stages/uat/kustomization.yaml": "",
				"base/deploy.yaml": "      - name: nginx\n        image: public.ecr.aws/nginx/nginx:placeholder\n",
			},
			contains: []string{"branch: trunk", "paths: ['base/**']", "images: [{image: public.ecr.aws/nginx/nginx, tag:"},
		},
		{
			name: "apps beside clusters, as in Flux' example", branch: "main", from: "apps/", stages: []string{"staging", "production"},
			files: map[string]string{
				"apps/production/kustomization.yaml": "", "apps/staging/kustomization.yaml": "", "apps/base/podinfo/release.yaml": "spec: {}",
				"clusters/production/flux-system/kustomization.yaml": "", "clusters/staging/flux-system/kustomization.yaml": "",
			},
			contains: []string{"paths: ['apps/base/**']", "key: commonAnnotations.revision", "create: true", "path: apps/production/kustomization.yaml"},
		},
		{
			name: "one place alone", branch: "main", from: "envs/", stages: []string{"prod"},
			files: map[string]string{"envs/prod/values.yaml": ""}, contains: []string{"promote: manual"},
		},
		{
			name: "values, in any order and with suffixes", branch: "release/1.x", from: "deploy/environments/",
			stages: []string{"dev-eu", "qa", "preprod", "prod-eu", "prod-us"}, // side by side
			files: map[string]string{
				"deploy/environments/prod-us/values.yaml": "image:\n  repository: web\n  tag: a\n", "deploy/environments/prod-eu/values.yaml": "x: y\n",
				"deploy/environments/dev_eu/values.yaml": "image:\n  tag: a\n", "deploy/environments/QA/values.yaml": "", "deploy/environments/preprod/values.yaml": "",
				"deploy/environments/notes/values.yaml": "",
			},
			contains: []string{"branch: release/1.x", "ignore: ['deploy/environments/**', '.github/**']", "path: deploy/environments/QA/values.yaml", "key: image.tag", "after: [preprod]\n    promote: manual # when somebody comments /promote prod-us"},
		},
		{
			name: "names that YAML would take for something else", branch: "0123", from: "overlays/", stages: []string{"dev", "dev-2", "it-s-prod"},
			files:    map[string]string{"overlays/dev/kustomization.yaml": "", "overlays/Dev/kustomization.yaml": "", "overlays/it's-prod/kustomization.yaml": ""},
			contains: []string{"branch: '0123'", "'overlays/it''s-prod/kustomization.yaml'"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			paths := slices.Sorted(maps.Keys(test.files))
			example, from := suggest(paths, func(path string) string { return test.files[path] }, test.branch)
			if from != test.from {
				t.Errorf("made from %q, want %q", from, test.from)
			}
			pipeline, found := config.ParseWith(".github/stagecoach.yml", []byte(example), runner.Check)
			if len(found) > 0 {
				t.Fatalf("the example is not valid: %v\n%s", found, example)
			}
			var stages []string
			for _, s := range pipeline.Stages {
				stages = append(stages, s.Name)
			}
			if diff := cmp.Diff(test.stages, stages); diff != "" {
				t.Errorf("stages (-want +got):\n%s", diff)
			}
			for _, text := range test.contains {
				if !strings.Contains(example, text) {
					t.Errorf("no %s in\n%s", text, example)
				}
			}
		})
	}
}

// Whatever the paths of a repository are, the example can be read.
func FuzzSuggest(f *testing.F) {
	f.Add("envs/dev/kustomization.yaml\nenvs/prod/kustomization.yaml", "images:\n- name: x\n")
	f.Add("apps/-dev-/values.yaml\na/b/stages/\"prod\"/values.yml", "image:\n  tag: 'x")
	f.Add("envs/dev \x01/values.yaml", "image: {{ .x }}")
	f.Add("envs/"+strings.Repeat("dev-", 30)+"/Kustomization", "image: [a]: b")
	f.Fuzz(func(t *testing.T, list, content string) {
		example, _ := suggest(strings.Split(list, "\n"), func(string) string { return content }, "main")
		if !printable(list + content) {
			return // YAML cannot hold it, and git hardly
		}
		if pipeline, found := config.ParseWith(".github/stagecoach.yml", []byte(example), runner.Check); pipeline == nil {
			t.Fatalf("%v\n%s", found, example)
		}
	})
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r >= 0x7f) || r == 0xfffd })
}
