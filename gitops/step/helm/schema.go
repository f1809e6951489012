package helm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// The bounds of what schemas refer to, in bytes.
const (
	maxSchema  = 4 << 20
	maxSchemas = 16 << 20 // of one chart, its dependencies included
)

// validate checks values against the schemas of a chart and its dependencies. It
// is our own so that references neither read files of the server nor go past the guard.
func validate(ctx context.Context, remote *step.Remote, c *chart.Chart, values any) error {
	var problems []string
	var passing error // a reference that could not be fetched just now
	load := &schemaLoader{ctx: ctx, remote: remote}
	schemas(c, values, func(c *chart.Chart, values map[string]any) {
		err := validateOne(load, c.Schema, values)
		var failed *fetchError
		switch {
		case errors.As(err, &failed):
			passing = failed.err
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s: %v", c.Name(), err))
		}
	})
	if len(problems) > 0 {
		return step.Refuse("the values do not fit the chart's schema: %s", strings.Join(problems, "; "))
	}
	return passing
}

// schemas visits the charts that have a schema, with their values.
func schemas(c *chart.Chart, values any, visit func(*chart.Chart, map[string]any)) {
	mine := table(values)
	if mine == nil {
		return
	}
	if len(c.Schema) > 0 {
		visit(c, mine)
	}
	for _, sub := range c.Dependencies() {
		schemas(sub, mine[sub.Name()], visit)
	}
}

func table(values any) map[string]any {
	switch v := values.(type) {
	case common.Values:
		return v
	case map[string]any:
		return v
	}
	return nil
}

func validateOne(load *schemaLoader, schema []byte, values map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil { // the validator gave up
			err = fmt.Errorf("the schema cannot be used: %v", r)
		}
	}()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return fmt.Errorf("values.schema.json is not JSON: %w", err)
	}
	const name = "chart:///values.schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(load)
	if err := compiler.AddResource(name, parsed); err != nil {
		return fmt.Errorf("values.schema.json: %w", err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return fmt.Errorf("values.schema.json: %w", err)
	}
	return compiled.Validate(values)
}

// schemaLoader fetches what a schema refers to.
type schemaLoader struct {
	ctx    context.Context
	remote *step.Remote
	bytes  int // that were fetched
}

// Load implements jsonschema.URLLoader.
func (l *schemaLoader) Load(url string) (any, error) {
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
		return nil, fmt.Errorf("the reference %s is neither in the schema nor at an http address", url)
	}
	content, err := fetch(l.ctx, l.remote, request{url: url, most: maxSchema})
	if err != nil {
		return nil, &fetchError{err}
	}
	if l.bytes += len(content); l.bytes > maxSchemas {
		return nil, fmt.Errorf("the schemas that it refers to have more than %d MiB", maxSchemas>>20)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(content))
}

// fetchError finds its way out of the validator.
type fetchError struct{ err error }

func (e *fetchError) Error() string { return e.err.Error() }
func (e *fetchError) Unwrap() error { return e.err }
