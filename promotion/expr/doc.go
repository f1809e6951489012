// Package expr evaluates the expressions that a pipeline file may hold:
// ${{ … }} in expr-lang (https://expr-lang.org/docs/language-definition), with
// the functions and variables that Kargo documents
// (https://docs.kargo.io/user-guide/reference-docs/expressions) and, simpler,
// freight.<source>.
//
// How a step is evaluated, in this order:
//
//	env := expr.Env{…}                        // facts of the promotion
//	env.AddSteps(plan.Steps, promotion.Steps) // what the steps so far gave
//	env.Vars, err = expr.Resolve(plan.Vars, env)
//	env.Vars, err = expr.Resolve(step.Vars, env) // a step's own vars on top
//	run, err := expr.Condition(step.If, env)
//	config, err := expr.Evaluate(step.Config, env)
//
// What holds when a call returns:
//
//   - A value that is one expression has the type of its result; an expression
//     inside text becomes text. A string never turns into anything else, and an
//     integer of up to 64 bits stays the integer it was.
//   - What an expression gives is never evaluated again.
//   - A name that does not exist is an error that names the expression and the
//     place in it. Behind ?. and in front of ?? it may be missing.
//   - Work and memory are bounded (see budget.go), nothing outside Env is read
//     except the time zone table and, if Env.Now is zero, the clock; whatever the
//     input, the answer is a value or an error, not a panic.
//
// Functions of this package may be called at the same time; they do not change
// their arguments, except AddSteps, which changes its receiver.
package expr
