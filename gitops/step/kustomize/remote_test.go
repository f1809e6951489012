package kustomize_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	_ "github.com/stagecoach-app/stagecoach/gitops/step/kustomize" // the step
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// world is what stands elsewhere.
type world struct {
	repos map[string]map[string]string // "url ref" to the files at that ref
	files map[string]string            // by URL
	links map[string]string            // "url ref path" to the target of a link there
	fails error                        // of everything
	asked []string
}

func (w *world) Allowed(url string) error {
	if strings.Contains(url, "forbidden") {
		return promotion.Terminal(errors.New("the operator does not allow it"))
	}
	return nil
}

func (w *world) Open(_ context.Context, url, ref string) (step.Workspace, string, error) {
	w.asked = append(w.asked, strings.TrimSpace(url+" "+ref))
	files, ok := w.repos[strings.TrimSpace(url+" "+ref)]
	if w.fails != nil || !ok {
		return nil, "", cmpOr(w.fails, promotion.Terminal(errors.New("there is no such thing")))
	}
	ws := steptest.New(files)
	for key, target := range w.links {
		if p, here := strings.CutPrefix(key, strings.TrimSpace(url+" "+ref)+" "); here {
			ws.Files[p] = steptest.File{Content: target, Mode: step.ModeLink}
		}
	}
	return ws, strings.Repeat(fmt.Sprintf("%x", len(url)%16), 20) + "0123456789abcdef0123"[:20], nil
}

func (w *world) File(_ context.Context, url string, most int64) ([]byte, error) {
	w.asked = append(w.asked, url)
	content, ok := w.files[url]
	if !ok || int64(len(content)) > most {
		return nil, promotion.Terminal(errors.New("there is no such file"))
	}
	return []byte(content), nil
}

func cmpOr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func build(t *testing.T, ws *steptest.Workspace, remote *step.Remote) (step.Outcome, error) {
	t.Helper()
	config, err := json.Marshal(map[string]string{"path": "prod", "outPath": "out.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	return step.Run(t.Context(), ws, step.Task{Uses: "kustomize-build", Config: config, Remote: remote})
}

const (
	configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {a: b}\n"
	settings  = "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nconfigMapGenerator:\n- {name: settings, files: [a.txt]}\n"
)

// base is a repository with a base in a folder, that names another one beside it.
func base() map[string]string {
	return map[string]string{
		"deploy/web/kustomization.yaml":       "resources: [cm.yaml, ../common]\nnamePrefix: web-\n",
		"deploy/web/cm.yaml":                  fmt.Sprintf(configMap, "one"),
		"deploy/common/kustomization.yml":     "resources: [cm.yaml]\n",
		"deploy/common/cm.yaml":               fmt.Sprintf(configMap, "two"),
		"deploy/settings/Kustomization":       settings,
		"deploy/settings/a.txt":               "hello\n",
		"kustomization.yaml":                  "resources: [deploy/web]\n",
		"deploy/elsewhere/kustomization.yaml": "resources: ['https://example.com/three.yaml']\n",
	}
}

// What is elsewhere is built as if it stood in the repository.
func TestBasesElsewhere(t *testing.T) {
	w := &world{
		repos: map[string]map[string]string{"https://github.com/acme/base v1": base(), "https://github.com/acme/base main": base(), "https://git.example.com/group/sub/base.git v2": base()},
		files: map[string]string{"https://example.com/three.yaml": fmt.Sprintf(configMap, "three")},
	}
	head := "namespace: prod\n"
	ws := steptest.New(map[string]string{"prod/kustomization.yaml": head + `resources:
- cm.yaml
- github.com/acme/base//deploy/web?ref=v1
- https://git.example.com/group/sub/base.git/deploy/elsewhere?ref=v2&timeout=30s
components:
- https://github.com/acme/base/deploy/settings?ref=main
`, "prod/cm.yaml": fmt.Sprintf(configMap, "zero")})
	before := maps.Clone(ws.Files)
	out, err := build(t, ws, &step.Remote{Bases: w})
	if err != nil {
		t.Fatal(err)
	}
	local := base()
	maps.Copy(local, map[string]string{
		"prod/kustomization.yaml": head + "resources: [cm.yaml, ../deploy/web, ../deploy/elsewhere]\ncomponents: [../deploy/settings]\n", "prod/cm.yaml": fmt.Sprintf(configMap, "zero"),
		"deploy/elsewhere/kustomization.yaml": "resources: [three.yaml]\n", "deploy/elsewhere/three.yaml": fmt.Sprintf(configMap, "three"),
	})
	delete(local, "kustomization.yaml")
	same := steptest.New(local)
	if _, err := build(t, same, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(same.Files["out.yaml"], ws.Files["out.yaml"]); diff != "" || !strings.Contains(diff+ws.Files["out.yaml"].Content, "name: three") {
		t.Errorf("- in the repository, + elsewhere:\n%s", diff)
	}
	delete(ws.Files, "out.yaml")
	if diff := cmp.Diff(before, ws.Files); diff != "" {
		t.Errorf("the repository's files changed:\n%s", diff)
	}
	if want := []string{"https://github.com/acme/base v1", "https://git.example.com/group/sub/base.git v2", "https://github.com/acme/base main", "https://example.com/three.yaml"}; !slices.Equal(w.asked, want) {
		t.Errorf("asked for %q, want %q", w.asked, want)
	}
	if want := "Rendered to out.yaml (1 file changed), with github.com/acme/base at cccccccccccc, git.example.com/group/sub/base.git at aaaaaaaaaaaa, github.com/acme/base at cccccccccccc, 1 more."; out.Message != want {
		t.Errorf("it says %q, want %q", out.Message, want)
	}
	var remotes map[string]string
	if err := json.Unmarshal(out.Output["remotes"], &remotes); err != nil || len(remotes) != 4 || len(remotes["https://github.com/acme/base?ref=v1"]) != 40 || !strings.HasPrefix(remotes["https://example.com/three.yaml"], "sha256:") {
		t.Errorf("remotes are %s (%v)", out.Output["remotes"], err)
	}
}

// TestBasesThatAreRefused: nothing is written then.
func TestBasesThatAreRefused(t *testing.T) {
	const own = "https://github.com/acme/base v1"
	deep := map[string]map[string]string{own: {"kustomization.yaml": "resources: ['github.com/acme/l1?ref=v1']\n"}}
	many := map[string]map[string]string{}
	names := []string{}
	for i := range 40 {
		deep[fmt.Sprintf("https://github.com/acme/l%d v1", i)] = map[string]string{"kustomization.yaml": fmt.Sprintf("resources: ['github.com/acme/l%d?ref=v1']\n", i+1)}
		many[fmt.Sprintf("https://github.com/acme/m%d", i)] = map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": fmt.Sprintf(configMap, fmt.Sprintf("n%d", i))}
		names = append(names, fmt.Sprintf("github.com/acme/m%d", i))
	}
	only := func(kustomization string) map[string]map[string]string {
		return map[string]map[string]string{own: {"kustomization.yaml": kustomization, "inside/kustomization.yaml": "resources: [../../../workspace/prod]\n", "linked/deep/x.yaml": "resources: [a.yaml]\n"}}
	}
	one := "resources: ['github.com/acme/base?ref=v1']\n"
	for name, tt := range map[string]struct {
		kustomization string
		repos         map[string]map[string]string
		links         map[string]string
		want          string
	}{
		"circle":                {one, only("resources: ['github.com/acme/base?ref=v1']\n"), nil, "cycle detected"},
		"circle of two":         {one, map[string]map[string]string{own: {"kustomization.yaml": "resources: ['github.com/acme/other']\n"}, "https://github.com/acme/other": {"kustomization.yaml": one}}, nil, "cycle detected"},
		"nested too deep":       {one, deep, nil, "more than 5 of them"},
		"too many":              {"resources: [" + strings.Join(names, ", ") + "]\n", many, nil, "more than 30 repositories and files"},
		"out of its repository": {one, only("resources: [../../workspace/prod]\n"), nil, "github.com/acme/base//kustomization.yaml: ../../workspace/prod leads out of its repository"},
		"a file outside":        {one, only("resources: [a.yaml]\nconfigMapGenerator: [{name: x, files: ['../../workspace/secret']}]\n"), nil, "leads out of its repository"},
		"an absolute file":      {one, only("resources: [a.yaml]\nsecretGenerator: [{name: x, envs: ['/workspace/secret']}]\n"), nil, "/workspace/secret is absolute"},
		"a plugin's file outside": {one, only("resources: [a.yaml]\ngenerators: [\"{apiVersion: builtin, kind: SecretGenerator, metadata: {name: x}, files: ['a=../../workspace/secret']}\\n\"]\n"), nil,
			"the config of a plugin names a=../../workspace/secret, which leads out of its repository"},
		"a plugin's absolute file": {one, only("resources: [a.yaml]\ntransformers: [\"{apiVersion: builtin, kind: PatchTransformer, metadata: {name: x}, path: /workspace/secret}\\n\"]\n"), nil,
			"names /workspace/secret, which leads out of its repository"},
		"out of a folder there": {"resources: ['github.com/acme/base//inside?ref=v1']\n", only(""), nil, "leads out of its repository"},
		"out by a link":         {one, only("resources: [a]\n"), map[string]string{own + " a": "../workspace"}, "leads out of the workspace"},
		"a linked kustomization": {"resources: ['github.com/acme/base//linked?ref=v1']\n", only(""), map[string]string{own + " linked/kustomization.yaml": "deep/x.yaml"},
			"github.com/acme/base//linked/kustomization.yaml is a link"},
		"not allowed":          {"resources: ['https://forbidden.example.com/a//b']\n", nil, nil, "the operator does not allow it"},
		"not allowed, a file":  {"resources: ['https://forbidden.example.com/a.yaml']\n", nil, nil, "the operator does not allow it"},
		"missing":              {one, nil, nil, "prod/kustomization.yaml: github.com/acme/base is not in this repository: there is no such thing"},
		"missing file":         {"resources: ['https://example.com/none.yaml']\n", nil, nil, "there is no such file"},
		"no folder there":      {"resources: ['github.com/acme/base//none?ref=v1']\n", only(one), nil, "github.com/acme/base"},
		"ssh":                  {"resources: ['git@github.com:acme/base']\n", nil, nil, "ssh is not spoken here"},
		"ssh with a scheme":    {"resources: ['ssh://git@github.com/acme/base']\n", nil, nil, "ssh is not spoken here"},
		"a file of the server": {"resources: ['file:///etc/passwd']\n", nil, nil, "file is not spoken here"},
		"password":             {"resources: ['https://octocat:hunter2@github.com/acme/base']\n", nil, nil, "https://github.com/acme/base is not in this repository: it holds a user or a password"},
		"upwards":              {"resources: ['github.com/acme/base//../../x']\n", nil, nil, "names no folder of a repository"},
		"an option of git":     {"resources: ['github.com/acme/base?ref=--upload-pack=x']\n", nil, nil, "names no folder of a repository"},
		"no repository":        {"components: ['https://github.com/acme']\n", nil, nil, "names no folder of a repository"},
		"a component's file":   {"components: ['https://example.com/a.yaml']\n", nil, nil, "names no folder of a repository"},
		"a patch":              {"resources: [a.yaml]\npatches: [{path: 'https://example.com/p.yaml'}]\n", nil, nil, "only `resources` and `components` may name what is elsewhere"},
		"helmCharts elsewhere": {one, only("helmCharts: [{name: a}]\n"), nil, "github.com/acme/base//kustomization.yaml: `helmCharts` needs the helm program"},
		"a plugin elsewhere":   {one, only("generators: [g.yaml]\nresources: ['https://example.com/none.yaml']\n"), nil, "there is no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			ws := steptest.New(map[string]string{"prod/kustomization.yaml": tt.kustomization, "prod/a.yaml": fmt.Sprintf(configMap, "a"), "secret": "s"})
			_, err := build(t, ws, &step.Remote{Bases: &world{repos: tt.repos, links: tt.links}})
			if err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), tt.want) || len(ws.Writes) > 0 || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "../../../../") {
				t.Errorf("got %v after %q\nwant a Terminal error that says %s", err, ws.Writes, tt.want)
			}
		})
	}
}

// One address is asked for once in a build, one commit is one place whatever it is
// called, and reading before the build does not count against its bounds.
func TestBasesAreFetchedOnce(t *testing.T) {
	w := &world{repos: map[string]map[string]string{
		"https://github.com/acme/base v1":   {"a/kustomization.yaml": "resources: ['github.com/acme/base//b?ref=main']\n", "b/kustomization.yaml": "resources: [cm.yaml]\n", "b/cm.yaml": fmt.Sprintf(configMap, "b")},
		"https://github.com/acme/base main": {"a/kustomization.yaml": "resources: ['github.com/acme/base//a?ref=v1']\n", "b/kustomization.yaml": "resources: [cm.yaml]\n", "b/cm.yaml": fmt.Sprintf(configMap, "b")},
	}}
	files := map[string]string{"prod/kustomization.yaml": "resources: ['github.com/acme/base//a?version=v1', two]\n", "prod/two/kustomization.yaml": "namePrefix: two-\nresources: ['https://github.com/acme/base//b?ref=v1']\n"}
	if _, err := build(t, steptest.New(files), &step.Remote{Bases: w}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"https://github.com/acme/base v1", "https://github.com/acme/base main"}; !slices.Equal(w.asked, want) {
		t.Errorf("asked for %q, want %q", w.asked, want)
	}
	w.repos["https://github.com/acme/base v1"]["a/kustomization.yaml"] = "resources: ['github.com/acme/base//a?ref=main']\n" // the same commit
	if _, err := build(t, steptest.New(files), &step.Remote{Bases: w}); err == nil || !strings.Contains(err.Error(), "cycle detected") {
		t.Errorf("a circle over two names of one commit: %v", err)
	}
	many := map[string]string{"prod/kustomization.yaml": "resources: [a.yaml]\ncomponents:\n", "prod/a.yaml": fmt.Sprintf(configMap, "a")}
	for i := range 510 { // more than half of what a build may read
		many[fmt.Sprintf("prod/c%d/kustomization.yaml", i)] = "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nimages: [{name: a, newTag: b}]\n"
		many["prod/kustomization.yaml"] += fmt.Sprintf("- c%d\n", i)
	}
	if _, err := build(t, steptest.New(many), nil); err != nil {
		t.Error(err)
	}
}

// Without the network a plan cannot tell what a base elsewhere holds; a server whose
// operator allows nothing refuses; and what may pass is tried again.
func TestBasesOutOfReach(t *testing.T) {
	files := map[string]string{"prod/kustomization.yaml": "resources: ['github.com/acme/base']\n"}
	if _, err := build(t, steptest.New(files), nil); !errors.Is(err, step.ErrOffline) {
		t.Errorf("offline: %v", err)
	}
	if _, err := build(t, steptest.New(files), &step.Remote{}); err == nil || errors.Is(err, step.ErrOffline) || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "nothing is fetched") {
		t.Errorf("nothing may be fetched: %v", err)
	}
	broken := errors.New("connection reset")
	if _, err := build(t, steptest.New(files), &step.Remote{Bases: &world{fails: broken}}); !errors.Is(err, broken) || promotion.IsTerminal(err) {
		t.Errorf("the network fails: %v", err)
	}
}

// A server that does not answer holds up the builds that need it alone.
func TestNobodyWaitsForOthersBases(t *testing.T) {
	hangs := &hanging{asked: make(chan struct{}), answer: make(chan struct{})}
	done := make(chan error, 1)
	go func() {
		ws := steptest.New(map[string]string{"prod/kustomization.yaml": "resources: ['github.com/acme/base']\n"})
		_, err := step.Run(context.Background(), ws, step.Task{Uses: "kustomize-build", Config: json.RawMessage(`{"path": "prod", "outPath": "out.yaml"}`), Remote: &step.Remote{Bases: hangs}})
		done <- err
	}()
	<-hangs.asked
	ws := steptest.New(map[string]string{"prod/kustomization.yaml": "resources: [a.yaml]\n", "prod/a.yaml": fmt.Sprintf(configMap, "a")})
	if _, err := build(t, ws, nil); err != nil {
		t.Error(err)
	}
	close(hangs.answer)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type hanging struct {
	world
	asked, answer chan struct{}
}

func (h *hanging) Open(context.Context, string, string) (step.Workspace, string, error) {
	close(h.asked)
	<-h.answer
	return steptest.New(map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": fmt.Sprintf(configMap, "a")}), strings.Repeat("1", 40), nil
}

// Annotations name the repository as Kustomize does.
func TestOriginOfBasesElsewhere(t *testing.T) {
	files := base()
	files["deploy/web/kustomization.yaml"] += "commonAnnotations: {a: b}\n"
	w := &world{repos: map[string]map[string]string{"https://github.com/acme/base v1": files}}
	ws := steptest.New(map[string]string{"prod/kustomization.yaml": "buildMetadata: [originAnnotations, transformerAnnotations]\nresources: ['github.com/acme/base//deploy/web?ref=v1', a.yaml]\n", "prod/a.yaml": fmt.Sprintf(configMap, "a")})
	if _, err := build(t, ws, &step.Remote{Bases: w}); err != nil {
		t.Fatal(err)
	}
	out := ws.Files["out.yaml"].Content
	for _, want := range []string{
		"config.kubernetes.io/origin: |\n      path: deploy/web/cm.yaml\n      repo: https://github.com/acme/base\n      ref: v1\n",
		"config.kubernetes.io/origin: |\n      path: deploy/common/cm.yaml\n      repo: https://github.com/acme/base\n      ref: v1\n",
		"config.kubernetes.io/origin: |\n      path: a.yaml\n",
		"- repo: https://github.com/acme/base\n        ref: v1\n        configuredIn: deploy/web/kustomization.yaml\n        configuredBy:\n          apiVersion: builtin\n          kind: PrefixTransformer\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks\n%s", want)
		}
	}
	if strings.Contains(out, "../") || t.Failed() {
		t.Errorf("it is\n%s", out)
	}
}
