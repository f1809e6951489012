package expr

import (
	"encoding/json"
	"fmt"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Prepare judges the `if` of the plan's step at index i and evaluates its config,
// with what the steps before it gave. env holds the facts of the promotion; its
// Vars, Outputs and Steps are filled in here. config is the step's own, or what
// stands in for it. run false means that the `if` said no.
func Prepare(plan *promotion.Plan, states []promotion.StepState, i int, config json.RawMessage, env Env) (run bool, evaluated json.RawMessage, err error) {
	step := plan.Steps[i]
	env.AddSteps(plan.Steps[:i], states[:min(i, len(states))])
	if env.Vars, err = Resolve(plan.Vars, env); err != nil {
		return false, nil, fmt.Errorf("vars: %w", err)
	}
	if env.Vars, err = Resolve(step.Vars, env); err != nil {
		return false, nil, fmt.Errorf("vars: %w", err)
	}
	if run, err = Condition(step.If, env); err != nil || !run {
		return false, nil, err
	}
	evaluated, err = Evaluate(config, env)
	return err == nil, evaluated, err
}
