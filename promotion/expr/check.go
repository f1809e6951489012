package expr

import "github.com/expr-lang/expr"

// Check says what can be known to be wrong with a template before it is
// evaluated: its syntax, names of variables and functions, and types of literals.
func Check(template string) error {
	parts, err := parse(template)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if p.expression {
			if err := checkExpression(p.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckCondition is Check for a step's `if`, written with or without delimiters.
func CheckCondition(condition string) error {
	source, err := conditionSource(condition)
	if err != nil {
		return err
	}
	return checkExpression(source)
}

// CheckDocument is Check for an expression over the keys of a file, which stands
// without delimiters. Any key may be there.
func CheckDocument(expression string) error {
	_, err := NewDocument(nil).ev.compile(expression)
	return err
}

// checkExpression compiles an expression twice: as it will be run, and as it
// stands, because the guards hide types that are known.
func checkExpression(source string) error {
	ev, err := newEvaluation(Env{})
	if err != nil {
		return err
	}
	if _, err := ev.compile(source); err != nil {
		return err
	}
	options := append(ev.options(ev.functions()), expr.Env(ev.scope), expr.AllowUndefinedVariables())
	if _, err := expr.Compile(source, options...); err != nil {
		return ev.explain(source, err)
	}
	return nil
}
