package kustomize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// vet refuses a kustomization that names what it may not, and has what it names
// elsewhere fetched. It returns the file as Kustomize shall see it: with paths in
// place of addresses. names are the paths that it names then.
func (t *tree) vet(found at, content []byte) (given []byte, names []string, err error) {
	var k types.Kustomization
	if err := k.Unmarshal(content); err != nil {
		return nil, nil, step.Refuse("%s: %w", found, err)
	}
	if len(k.HelmCharts)+len(k.HelmChartInflationGenerator) > 0 {
		return nil, nil, step.Refuse("%s: `helmCharts` needs the helm program, which is not run; render the chart by the step helm-template first, and list its file under `resources`", found)
	}
	if err := t.contained(found, k); err != nil {
		return nil, nil, err
	}
	given, err = t.resolve(found, &k, content)
	if err != nil {
		return nil, nil, err
	}
	names = paths(k)
	for _, p := range names {
		if remote(p) {
			return nil, nil, step.Refuse("%s: %s is not in this repository, and only `resources` and `components` may name what is elsewhere; copy it into the repository", found, shown(p))
		}
	}
	for _, plugin := range slices.Concat(k.Generators, k.Transformers, k.Validators) {
		if err := t.vetPlugin(found, plugin); err != nil {
			return nil, nil, err
		}
	}
	t.deprecated(found, &k)
	return given, names, nil
}

// contained refuses absolute paths, and a kustomization elsewhere that names what is
// outside its repository: Kustomize itself would read any file that the tree shows.
func (t *tree) contained(found at, k types.Kustomization) error {
	for _, p := range paths(k) {
		switch {
		case strings.Contains(p, "\n") || remote(p):
			continue // no path
		case path.IsAbs(p):
			return step.Refuse("%s: %s is absolute; write it relative to the folder of the kustomization", found, p)
		}
		if in, _ := t.placeOf(path.Join(path.Dir(found.virtual()), p)); found.nested > 0 && in != found.place {
			return step.Refuse("%s: %s leads out of its repository", found, p)
		}
	}
	return nil
}

// resolve puts paths in place of the addresses of bases, resources and components.
func (t *tree) resolve(found at, k *types.Kustomization, content []byte) ([]byte, error) {
	changed := false
	//lint:ignore SA1019 Kustomize follows them still
	for i, list := range [][]string{k.Resources, k.Bases, k.Components} {
		for j, p := range list {
			if !remote(p) {
				continue
			}
			at, err := t.fetch(found.place, p, i == 2)
			if err != nil {
				return nil, fmt.Errorf("%s: %s is not in this repository: %w", found, shown(p), err)
			}
			list[j], changed = at, true
		}
	}
	if !changed {
		return content, nil
	}
	given, err := json.Marshal(k) // which is YAML too
	var again types.Kustomization
	if err == nil {
		err = again.Unmarshal(given)
	}
	if err != nil || !reflect.DeepEqual(*k, again) {
		return nil, step.Refuse("%s: it cannot be used with what it names elsewhere: %w", found, err)
	}
	return given, nil
}

// paths are all places where a kustomization may name a file or folder, those of
// old among them, as Kustomize follows them still.
func paths(k types.Kustomization) []string {
	//lint:ignore SA1019 Kustomize follows them still
	all := slices.Concat(k.Resources, k.Components, k.Bases, k.Crds, k.Configurations, k.Generators, k.Transformers, k.Validators, []string{k.OpenAPI["path"]})
	//lint:ignore SA1019 as above
	for _, p := range slices.Concat(k.Patches, k.PatchesJson6902) {
		all = append(all, p.Path)
	}
	//lint:ignore SA1019 as above
	for _, p := range k.PatchesStrategicMerge {
		all = append(all, string(p))
	}
	for _, r := range k.Replacements {
		all = append(all, r.Path)
	}
	for _, c := range k.ConfigMapGenerator {
		all = append(all, sources(c.KvPairSources)...)
	}
	for _, s := range k.SecretGenerator {
		all = append(all, sources(s.KvPairSources)...)
	}
	return all
}

// sources are the files of a generator, which may stand behind a key: key=file.
func sources(s types.KvPairSources) []string {
	var out []string
	for _, source := range slices.Concat(s.FileSources, s.EnvSources, []string{s.EnvSource}) {
		out = append(out, source)
		out = append(out, strings.Split(source, "=")...)
	}
	return out
}

// isRemote is wider than what Kustomize takes for an address:
// https://github.com/kubernetes-sigs/kustomize/blob/master/examples/remoteBuild.md
var isRemote = regexp.MustCompile(`(?i)^\s*(?:git::)*(?:[a-z][a-z0-9+.-]*://|https?:|[a-z][a-z0-9-]*@|github\.com[/:])`)

func remote(p string) bool { return !strings.Contains(p, "\n") && isRemote.MatchString(p) }

// loaders are the built-in plugins that read the files which their config names.
var loaders = []string{
	"ConfigMapGenerator", "SecretGenerator", "PatchTransformer", "PatchJson6902Transformer", "PatchStrategicMergeTransformer",
	"ReplacementTransformer", "ValueAddTransformer", "HelmChartInflationGenerator",
}

// vetPlugin checks the config of a generator, transformer or validator: it stands
// in the kustomization itself or in a file. A kustomization that makes such
// configs is refused: what they will name cannot be known before the build.
func (t *tree) vetPlugin(by at, plugin string) error {
	text := []byte(plugin)
	if !strings.Contains(plugin, "\n") {
		found, err := t.locate(path.Join(path.Dir(by.virtual()), plugin))
		if err != nil {
			return nil // Kustomize says so as well
		}
		if mode := found.entry.Mode; mode != step.ModeFile && mode != step.ModeExecutable {
			return step.Refuse("%s: %s is a folder; generators, transformers and validators are written in files", by, plugin)
		}
		if text, err = found.ws.ReadFile(t.ctx, found.path); err != nil {
			return fmt.Errorf("read %s: %w", found, err)
		}
		if len(text) > maxFile {
			return nil // it is refused when Kustomize reads it
		}
	}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		if err := d.Decode(&doc); err != nil {
			return nil // its end, or Kustomize says what is wrong
		}
		if !mentions(&doc, loaders) {
			continue
		}
		if found := textIn(&doc, remote); found != "" {
			return step.Refuse("%s: the config of a plugin names %s, which is not in this repository; copy it into the repository", by, shown(found))
		}
		if found := textIn(&doc, func(p string) bool { return t.elsewhere(by, p) }); found != "" {
			return step.Refuse("%s: the config of a plugin names %s, which leads out of its repository", by, found)
		}
	}
}

// elsewhere reports whether a kustomization's path leads to another place of the tree.
func (t *tree) elsewhere(by at, p string) bool {
	if !path.IsAbs(p) {
		p = path.Join(path.Dir(by.virtual()), p)
	}
	in, _ := t.placeOf(path.Clean(p))
	return in != nil && in != by.place
}

// mentions reports whether some text in a document is one of words. It looks
// everywhere, as a kind may come by an alias or a merge key.
func mentions(n *yaml.Node, words []string) bool {
	return n.Kind == yaml.ScalarNode && slices.Contains(words, n.Value) ||
		slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return mentions(c, words) })
}

// textIn returns a text in a document that is of a kind, whole or behind a key (key=address).
func textIn(n *yaml.Node, is func(string) bool) string {
	if n.Kind == yaml.ScalarNode && slices.ContainsFunc(append(strings.Split(n.Value, "="), n.Value), is) {
		return n.Value
	}
	for _, c := range n.Content {
		if found := textIn(c, is); found != "" {
			return found
		}
	}
	return ""
}

// values counts what a YAML text stands for, aliases written out, up to most + 1.
// Text that is no YAML has none. Nor has one without aliases, as the bound on
// bytes bounds it.
func values(text []byte, most int) (n int) {
	if bytes.IndexByte(text, '*') < 0 {
		return 0
	}
	defer func() { _ = recover() }() // the parser gave up: Kustomize will too
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		if d.Decode(&doc) != nil {
			return n
		}
		n += expanded(&doc, most-n, 0)
		if n > most {
			return n
		}
	}
}

// expanded counts a node with all below it.
func expanded(n *yaml.Node, most, depth int) int {
	if depth > 1000 {
		return most + 1
	}
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return expanded(n.Alias, most, depth+1)
	}
	count := 1
	for _, c := range n.Content {
		if count > most {
			break
		}
		count += expanded(c, most-count, depth+1)
	}
	return count
}
