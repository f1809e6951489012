package expr

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Evaluate evaluates every string in a JSON value; keys stay as they are. No
// value at all is an empty object, as for a step without a config. Numbers that
// no expression made keep their text.
func Evaluate(raw json.RawMessage, env Env) (json.RawMessage, error) {
	ev, err := newEvaluation(env)
	if err != nil {
		return nil, err
	}
	return ev.value(raw)
}

// Text evaluates a template to text.
func Text(template string, env Env) (string, error) {
	ev, err := newEvaluation(env)
	if err != nil {
		return "", err
	}
	parts, err := parse(template)
	if err != nil {
		return "", err
	}
	return ev.text(parts)
}

// Condition judges a step's `if`, written with or without delimiters. Empty
// means success().
func Condition(condition string, env Env) (bool, error) {
	ev, err := newEvaluation(env)
	if err != nil {
		return false, err
	}
	return ev.condition(condition)
}

func (ev *evaluation) condition(condition string) (bool, error) {
	source, err := conditionSource(condition)
	if err != nil {
		return false, err
	}
	value, err := ev.run(source)
	if err != nil {
		return false, err
	}
	yes, ok := value.(bool)
	if !ok {
		return false, &Error{Expression: source, Message: "a condition must evaluate to a boolean, not to " + describe(value)}
	}
	return yes, nil
}

// conditionSource is the expression that a condition consists of.
func conditionSource(condition string) (string, error) {
	if strings.TrimSpace(condition) == "" {
		return "success()", nil
	}
	parts, err := parse(condition)
	if err != nil {
		return "", err
	}
	if e, ok := single(parts); ok {
		return e.text, nil
	}
	if slices.ContainsFunc(parts, func(p part) bool { return p.expression }) {
		return "", &Error{
			Message: fmt.Sprintf("the condition %q is text around an expression, and must evaluate to a boolean", abbreviate(condition)),
			Hint:    "put all of it into one ${{ … }}",
		}
	}
	return strings.TrimSpace(condition), nil
}

// evaluation is one call: its names, and what it may still spend.
type evaluation struct {
	scope  map[string]any
	env    *Env
	budget budget
	// absent says why the last null is one, when a name was looked for and not
	// found: null is then refused inside text, and explained elsewhere.
	absent string
	// document: the names are those of a file, see Document.
	document bool
}

func newEvaluation(env Env) (*evaluation, error) {
	scope, err := env.scope()
	if err != nil {
		return nil, err
	}
	return &evaluation{scope: scope, env: &env, budget: newBudget()}, nil
}

// value evaluates the strings of a JSON value.
func (ev *evaluation) value(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	tree, err := decodeLiteral(raw)
	if err != nil {
		return nil, err
	}
	if tree, err = ev.walk(tree); err != nil {
		return nil, err
	}
	return encode(tree)
}

func (ev *evaluation) walk(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case string:
		return ev.template(v)
	case []any:
		for i := range v {
			if v[i], err = ev.walk(v[i]); err != nil {
				return nil, at(err, fmt.Sprintf("[%d]", i))
			}
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if v[key], err = ev.walk(v[key]); err != nil {
				return nil, at(err, key)
			}
		}
	}
	return value, nil
}

// template evaluates one string. Its result has the expression's own type when
// there is nothing but one expression.
func (ev *evaluation) template(s string) (any, error) {
	parts, err := parse(s)
	if err != nil {
		return nil, err
	}
	if e, ok := single(parts); ok {
		result, err := ev.run(e.text)
		if _, isText := result.(string); err != nil || !isText {
			return result, err
		}
		return strings.Replace(s, strings.TrimSpace(s), result.(string), 1), nil
	}
	return ev.text(parts)
}

func (ev *evaluation) text(parts []part) (string, error) {
	var b strings.Builder
	for _, p := range parts {
		if !p.expression {
			b.WriteString(p.text)
			continue
		}
		value, err := ev.run(p.text)
		if err != nil {
			return "", err
		}
		if value == nil && ev.absent != "" {
			return "", &Error{Expression: p.text, Message: ev.absent, Hint: "add a default with ?? if it may be missing"}
		}
		s, err := textOf(value)
		if err != nil {
			return "", &Error{Expression: p.text, Message: err.Error()}
		}
		b.WriteString(s)
	}
	return b.String(), nil
}
