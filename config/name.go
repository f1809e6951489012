package config

import (
	"fmt"
	"path"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const (
	defaultFile = ".github/stagecoach"
	folder      = ".github/stagecoach/"
	maxName     = 40 // characters of a name
)

// PipelineName returns the name of the pipeline that the file at path, relative
// to the repository, holds; ok is false when it is no pipeline file. A name
// that breaks the rules is returned too: Parse says what is wrong with it.
func PipelineName(path string) (name string, ok bool) {
	base, found := strings.CutSuffix(path, ".yml")
	if !found {
		base, found = strings.CutSuffix(path, ".yaml")
	}
	switch {
	case !found:
		return "", false
	case base == defaultFile:
		return promotion.DefaultPipeline, true
	}
	name, inside := strings.CutPrefix(base, folder)
	return name, inside && name != "" && !strings.Contains(name, "/")
}

// nameOf is PipelineName for a file that may stand anywhere: what is in front
// of .github does not count, and any other file holds the default pipeline.
func nameOf(file string) string {
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	if i := strings.LastIndex(file, "/.github/"); i >= 0 {
		file = file[i+1:]
	}
	if name, ok := PipelineName(file); ok {
		return name
	}
	return promotion.DefaultPipeline
}

// badName says what is wrong with the name of a pipeline, a stage or a source;
// empty when nothing is.
func badName(name string) string {
	switch {
	case name == "":
		return "a name must not be empty"
	case len(name) > maxName:
		return fmt.Sprintf("the name %.20q… has %d characters; at most %d are allowed", name, len([]rune(name)), maxName)
	case strings.ContainsFunc(name, notInName):
		return fmt.Sprintf("the name %q may hold only a-z, 0-9 and -", name)
	case strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-"):
		return fmt.Sprintf("the name %q must not begin or end with -", name)
	case name == "all":
		return `the name "all" is taken: commands use it for every stage`
	}
	return ""
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
}
