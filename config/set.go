package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Set is what the pipeline files of a repository hold, by name of the pipeline.
// A name stands in one of the two maps, or in neither when its file only shares.
type Set struct {
	Pipelines map[string]*promotion.Pipeline
	Broken    map[string][]promotion.Problem // why they cannot be read; At is zero
}

// ParseAll is ParseAllWith without a check of expressions.
func ParseAll(files map[string][]byte) (Set, []Diagnostic) {
	return ParseAllWith(files, Options{})
}

// ParseAllWith reads files by path. Those that are no pipeline files are left
// out. Two files of one pipeline are an error on both.
func ParseAllWith(files map[string][]byte, options Options) (Set, []Diagnostic) {
	set := Set{Pipelines: map[string]*promotion.Pipeline{}, Broken: map[string][]promotion.Problem{}}
	paths := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if name, ok := PipelineName(path); ok {
			paths[name] = append(paths[name], path)
		}
	}
	var all []Diagnostic
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		pipeline, found := parseOne(name, paths[name], files, options)
		if pipeline == nil && !HasErrors(found) {
			continue // it only shares
		}
		if pipeline == nil {
			set.Broken[name] = problems(found)
		} else {
			set.Pipelines[name] = pipeline
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, byPosition)
	return set, all
}

// parseOne reads the file or, which is an error, the files of one pipeline.
func parseOne(name string, paths []string, files map[string][]byte, options Options) (*promotion.Pipeline, []Diagnostic) {
	var pipeline *promotion.Pipeline
	var found []Diagnostic
	for i, path := range paths {
		parsed, wrong := ParseWith(path, files[path], options)
		if len(paths) > 1 {
			other := paths[(i+1)%len(paths)]
			found = append(found, Diagnostic{
				File: path, Line: 1, Column: 1, Severity: SeverityError,
				Message: fmt.Sprintf("the pipeline `%s` stands in %s too; remove one of the files", name, other),
			})
			parsed = nil
		}
		pipeline, found = parsed, append(found, wrong...)
	}
	return pipeline, found
}

func problems(found []Diagnostic) []promotion.Problem {
	var out []promotion.Problem
	for _, d := range found {
		if d.Severity != SeverityError {
			continue
		}
		out = append(out, promotion.Problem{
			Key:  fmt.Sprintf("config %s:%d:%d %s", d.File, d.Line, d.Column, d.Message),
			Text: d.Message, File: d.File, Line: d.Line, Column: d.Column, Suggestion: d.Suggestion,
		})
	}
	return out
}
