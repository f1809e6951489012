package demo

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

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
