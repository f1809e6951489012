package demo

import (
	"errors"
	"fmt"
	"path"
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
