package config

import (
	"encoding/json"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Options say how to judge what this package does not know itself.
type Options struct {
	// CheckExpression says what is wrong with a text that holds expressions;
	// nil: nothing is checked.
	CheckExpression func(template string) error
	// CheckCondition says what is wrong with a step's `if`, written with or
	// without delimiters; nil: nothing is checked.
	CheckCondition func(condition string) error
	// CheckDocument says what is wrong with an expression over the keys of a file,
	// which stands without delimiters; nil: nothing is checked.
	CheckDocument func(expression string) error
	// CheckConstraint says what is wrong with a constraint of versions; nil:
	// nothing is checked.
	CheckConstraint func(constraint string) error
}

// Parse is ParseWith without a check of expressions.
func Parse(path string, content []byte) (*promotion.Pipeline, []Diagnostic) {
	return ParseWith(path, content, Options{})
}

// ParseWith reads the pipeline file at path, which is relative to the
// repository and names the pipeline. The pipeline is nil when any diagnostic is
// an error, and when the file holds none: it says only with whom the repository is
// shared, see Shares. Whether GitSource.Repo names the repository itself is left to the
// caller.
func ParseWith(path string, content []byte, options Options) (*promotion.Pipeline, []Diagnostic) {
	c := &checker{file: path, options: options}
	name := nameOf(path)
	if wrong := badName(name); wrong != "" {
		c.errorAt(1, 1, "%s; a pipeline is called after its file", wrong)
	}
	root := c.document(content)
	if root != nil && sharesAlone(root) {
		c.value(root, sharing, "a file that only shares")
		c.shared(root)
		return nil, c.found
	}
	if root != nil {
		c.value(root, pipelineShape, "a pipeline file")
		if !c.tooLarge {
			c.whole(root)
		}
	}
	slices.SortStableFunc(c.found, byPosition)
	if root == nil || HasErrors(c.found) {
		return nil, c.found
	}
	pipeline, err := build(name, path, root)
	if err != nil {
		c.error(root, "%s", err)
		return nil, c.found
	}
	return pipeline, c.found
}

// build makes a pipeline of a document without errors.
func build(name, path string, root *yaml.Node) (*promotion.Pipeline, error) {
	raw, err := toJSON(root)
	if err != nil {
		return nil, err
	}
	var f form
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	p := &promotion.Pipeline{Name: name, Path: path, Vars: f.Vars, Verified: f.Commits.Verified}
	for _, s := range f.Sources {
		p.Sources = append(p.Sources, s.source())
	}
	for _, s := range f.Stages {
		p.Stages = append(p.Stages, s.stage())
	}
	return p, nil
}
