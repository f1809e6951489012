package expr

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Env is what expressions may know. The zero value is valid: nothing is known.
type Env struct {
	Repo        promotion.Repo
	WebURL      string // of GitHub, for ctx.repoURL and for repository names without a host; empty: https://github.com
	Pipeline    string
	Stage       string
	Promotion   string // name
	Branch      string // that the stage writes
	RequestedBy string // login
	Freight     *promotion.Freight
	Vars        map[string]json.RawMessage            // resolved, see Resolve
	Outputs     map[string]map[string]json.RawMessage // by alias of the step
	Steps       []StepStatus                          // those before the one at hand
	Now         time.Time                             // what now() gives; zero: the clock
	State       *promotion.State                      // what freightMetadata() and stageMetadata() read; nil: nothing is kept
	// Insert fits what an expression in the value of a config's key gave into the text
	// that stands before and after it; nil: it stays as it is. A value that is one
	// expression and no text is not asked about.
	Insert func(key, before, after, value string) string
}

// StepStatus is what success(), failure() and status() know of a step.
type StepStatus struct {
	Alias           string
	Phase           promotion.StepPhase
	ContinueOnError bool // its failure is not one of the promotion
}

// AddSteps adds steps that stand in front of the one at hand, and what they
// gave, under their aliases. states may be shorter than steps: the rest has not
// run yet, and is left out.
func (e *Env) AddSteps(steps []promotion.Step, states []promotion.StepState) {
	outputs := map[string]map[string]json.RawMessage{}
	for alias, output := range e.Outputs {
		outputs[alias] = output
	}
	for i, state := range states[:min(len(states), len(steps))] {
		if !state.Phase.Finished() {
			continue
		}
		alias := Alias(steps[i], i)
		e.Steps = append(e.Steps, StepStatus{Alias: alias, Phase: state.Phase, ContinueOnError: steps[i].ContinueOnError})
		if state.Phase != promotion.StepSkipped {
			outputs[alias] = state.Output
		}
	}
	e.Outputs = outputs
}

// Alias is the name under which others read the output of the step at index,
// counted from 0: its `as`, or "step-N" with N from 1.
func Alias(step promotion.Step, index int) string {
	if step.As != "" {
		return step.As
	}
	return fmt.Sprintf("step-%d", index+1)
}

// namespace is a map whose members are names that we define: one that is
// missing is a mistake, while a missing member of a user's own data is null.
type namespace map[string]any

// scope is the variables of an expression.
func (e *Env) scope() (map[string]any, error) {
	vars, err := decodeMembers(e.Vars)
	if err != nil {
		return nil, fmt.Errorf("vars: %w", err)
	}
	outputs := namespace{}
	for alias, output := range e.Outputs {
		if outputs[alias], err = decodeMembers(output); err != nil {
			return nil, fmt.Errorf("outputs of %q: %w", alias, err)
		}
	}
	return map[string]any{"vars": vars, "outputs": outputs, "ctx": e.context(), "freight": freightNames(e.Freight)}, nil
}

func decodeMembers(raw map[string]json.RawMessage) (namespace, error) {
	out := make(namespace, len(raw))
	for name, text := range raw {
		value, err := decode(text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		out[name] = value
	}
	return out, nil
}

// context is the variable ctx: Kargo's names, with the repository as project
// and the pipeline as the origin of the freight, and ours beside them.
func (e *Env) context() namespace {
	id, alias := "", ""
	if e.Freight != nil {
		id, alias = e.Freight.ID, e.Freight.Alias()
	}
	return namespace{
		"project":   e.Repo.Name,
		"repo":      e.Repo.FullName(),
		"repoURL":   e.webURL() + "/" + e.Repo.FullName() + ".git",
		"pipeline":  e.Pipeline,
		"stage":     e.Stage,
		"promotion": e.Promotion,
		"branch":    e.Branch,
		"targetFreight": namespace{
			"name": id, "alias": alias,
			"origin": namespace{"kind": warehouseKind, "name": e.Pipeline},
		},
		"meta": namespace{"promotion": namespace{"actor": e.RequestedBy}},
	}
}

func (e *Env) webURL() string {
	if e.WebURL == "" {
		return "https://github.com"
	}
	return strings.TrimRight(e.WebURL, "/")
}

func (e *Env) now() time.Time {
	if e.Now.IsZero() {
		return time.Now().UTC()
	}
	return e.Now
}
