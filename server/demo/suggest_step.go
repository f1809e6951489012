package demo

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

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
