package demo

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// IsMissingConfig finds the example for a repository without a pipeline file.
func IsMissingConfig(err error) (example string, ok bool) {
	var missing *MissingConfig
	if errors.As(err, &missing) {
		return missing.Example, true
	}
	return "", false
}

// MissingConfig says that a repository has no pipeline file, and what one could be.
type MissingConfig struct {
	Repo    string
	From    string // the folder that Example was made from; empty: none looked like environments
	Example string // of .github/stagecoach.yml
}

func (e *MissingConfig) Error() string {
	why := "no folders in it look like environments (such as envs/dev and envs/prod), so put your own in the place of these"
	if e.From != "" {
		why = "made from the folders in " + e.From
	}
	return fmt.Sprintf("the last commit of %s holds no pipeline file. Write .github/stagecoach.yml, look whether it says what you want, and commit it; for example, %s:",
		e.Repo, why)
}

// order is that of environments, by the word that their names begin or end with.
var order = [][]string{
	{"dev", "development"}, {"test", "testing", "tst"}, {"qa"}, {"uat"}, {"stage", "staging", "stg", "preprod"}, {"prod", "production", "prd"},
}

// place is the position of an environment; ok is false for other names.
func place(name string) (at int, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	for at, same := range order {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(same, w) }) {
			return at, true
		}
	}
	return 0, false
}

// containers are folders that hold one folder for each environment, the likelier first.
var containers = []string{"envs", "environments", "env", "stages", "overlays", "apps", "clusters"}

// layout is a folder with its environments, in order.
type layout struct {
	folder    string
	names     []string
	kustomize bool   // kustomization.yaml in each of them; else values.yaml
	file      string // kustomization.yaml or values.yaml, as it is called there
}

// kinds of file that an environment is recognised by, the better first.
var recognised = []string{"kustomization.yaml", "kustomization.yml", "Kustomization", "values.yaml", "values.yml"}

// usualPath leaves out paths that would mean something else in the example.
var usualPath = regexp.MustCompile(`^[A-Za-z0-9._/@+' -]+$`)

// findLayout picks the folder with the most environments.
func findLayout(paths []string) (layout, bool) {
	byKey := map[[2]string]*layout{}
	var all []*layout
	for _, p := range paths {
		env, file := path.Split(p)
		folder, name := path.Split(strings.TrimSuffix(env, "/"))
		folder = strings.TrimSuffix(folder, "/")
		_, isEnv := place(name)
		if !usualPath.MatchString(p) || !slices.Contains(recognised, file) || !isEnv || !slices.Contains(containers, path.Base(folder)) {
			continue
		}
		key := [2]string{folder, file}
		if byKey[key] == nil {
			byKey[key] = &layout{folder: folder, file: file, kustomize: !strings.HasPrefix(file, "values")}
			all = append(all, byKey[key])
		}
		byKey[key].names = append(byKey[key].names, name)
	}
	if len(all) == 0 {
		return layout{}, false
	}
	best := slices.MinFunc(all, func(a, b *layout) int {
		return cmp.Or(len(b.names)-len(a.names), a.likely()-b.likely(), strings.Count(a.folder, "/")-strings.Count(b.folder, "/"), cmp.Compare(a.folder, b.folder))
	})
	slices.SortFunc(best.names, func(a, b string) int {
		x, _ := place(a)
		y, _ := place(b)
		return cmp.Or(x-y, cmp.Compare(a, b))
	})
	return *best, true
}

func (l layout) likely() int {
	return slices.Index(containers, path.Base(l.folder))*len(recognised) + slices.Index(recognised, l.file)
}

// suggest makes a pipeline file for a repository from its paths. read gives a
// file's content; from is the folder it was made from.
func suggest(paths []string, read func(string) string, branch string) (example, from string) {
	l, found := findLayout(paths)
	if !found {
		l = layout{folder: "envs", names: []string{"dev", "staging", "prod"}, file: "values.yaml"}
	} else {
		from = l.folder + "/"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nsources:\n  - name: app\n    git:\n      branch: %s\n%s", quote(branch), watched(l, paths, found))
	b.WriteString("stages:\n")
	taken := map[string]bool{}
	var before []string // the stages of the place before
	places := l.places()
	for i, envs := range places {
		var names []string
		for _, env := range envs {
			name := stageName(env, taken)
			fmt.Fprintf(&b, "  - name: %s\n%s%s", name, goes(i, len(places), name, before), l.step(path.Join(l.folder, env), paths, read))
			names = append(names, name)
		}
		before = names
	}
	return b.String(), from
}

// places groups the environments that stand side by side, such as two of production.
func (l layout) places() [][]string {
	var out [][]string
	last := -1
	for _, env := range l.names {
		at, _ := place(env)
		if at != last {
			out, last = append(out, nil), at
		}
		out[len(out)-1] = append(out[len(out)-1], env)
	}
	return out
}

// goes says how freight comes to a stage: to the first place by itself, to the
// last one when a person asks, to those between as pull requests.
func goes(at, places int, name string, before []string) string {
	after := ""
	if len(before) > 0 {
		after = "    after: [" + strings.Join(before, ", ") + "]\n"
	}
	switch {
	case at == 0 && places > 1:
		return "    promote: auto\n    deliver: commit\n"
	case at < places-1:
		return after + "    promote: auto # as a pull request that somebody merges\n"
	}
	return after + "    promote: manual # when somebody comments /promote " + name + ", as a pull request\n"
}

// watched says which paths make freight: the folders beside the environments
// that hold what they share, or everything but the environments.
func watched(l layout, paths []string, found bool) string {
	if found {
		for _, shared := range []string{path.Join(l.folder, "base"), beside(l.folder, "base"), beside(l.folder, "app"), beside(l.folder, "apps")} {
			if shared != l.folder && slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, shared+"/") }) {
				return fmt.Sprintf("      paths: [%s] # a change of these is what travels\n", quote(shared+"/**"))
			}
		}
	}
	return fmt.Sprintf("      ignore: [%s, '.github/**'] # a change of anything else is what travels\n", quote(l.folder+"/**"))
}

func beside(folder, name string) string { return path.Join(path.Dir(folder), name) }

// step edits one environment. The value is the commit that changed, as images
// are often tagged.
func (l layout) step(env string, paths []string, read func(string) string) string {
	const version = "'${{ freight.app.commit[:7] }}'"
	file := path.Join(env, l.file)
	if l.kustomize {
		if image := imageOf(l, env, paths, read); image != "" {
			return fmt.Sprintf("    steps:\n      - uses: kustomize-set-image\n        config:\n          path: %s\n          images: [{image: %s, tag: %s}]\n",
				quote(env), quote(image), version)
		}
		return fmt.Sprintf("    steps:\n      - uses: yaml-update\n        config:\n          path: %s\n          updates: [{key: commonAnnotations.revision, value: %s, create: true}]\n",
			quote(file), version)
	}
	key, create := "image.tag", ""
	if !imageTag.MatchString(read(file)) {
		create = ", create: true"
	}
	return fmt.Sprintf("    steps:\n      - uses: yaml-update\n        config:\n          path: %s\n          updates: [{key: %s, value: %s%s}]\n",
		quote(file), key, version, create)
}

var (
	imageTag    = regexp.MustCompile(`(?m)^image:\s*\n(?:[ \t]+.*\n|\s*\n)*?[ \t]+tag:`)
	namedImage  = regexp.MustCompile(`(?m)^images:\s*\n\s*- name:\s*["']?([^\s"'#]+)`)
	imageOfPod  = regexp.MustCompile(`(?m)^\s*(?:- )?image:\s*["']?([a-z0-9][^\s"'#{}$]*)`)
	digestOrTag = regexp.MustCompile(`(?:@sha256:[0-9a-f]+|:[A-Za-z0-9_][A-Za-z0-9._-]*)$`)
)

// imageOf is the image that an environment's kustomization names or, without
// that, the first one in a manifest near the environments.
func imageOf(l layout, env string, paths []string, read func(string) string) string {
	if m := namedImage.FindStringSubmatch(read(path.Join(env, l.file))); m != nil {
		return m[1]
	}
	looked := 0
	for _, p := range paths {
		if !mayNameImage(p, path.Dir(l.folder)) {
			continue
		}
		if looked++; looked > mostLooked {
			return ""
		}
		if m := imageOfPod.FindStringSubmatch(read(p)); m != nil {
			return digestOrTag.ReplaceAllString(m[1], "")
		}
	}
	return ""
}

// mostLooked bounds how many manifests are read for an image.
const mostLooked = 100

func mayNameImage(p, below string) bool {
	ext := path.Ext(p)
	return (ext == ".yaml" || ext == ".yml") && (below == "." || strings.HasPrefix(p, below+"/")) &&
		!strings.Contains(p, "templates/") && !strings.HasPrefix(p, ".")
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// stageName makes a valid name of a folder's that no stage has yet.
func stageName(env string, taken map[string]bool) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(env), "-"), "-")
	name = strings.Trim(name[:min(len(name), 36)], "-")
	for base, n := name, 2; taken[name]; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	taken[name] = true
	return name
}

var plainScalar = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*$`)

// quote writes a YAML string.
func quote(s string) string {
	if plainScalar.MatchString(s) && !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(s)) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
