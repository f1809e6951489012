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
	// insert is Env.Insert for the value at hand; nil: what expressions give stays as it is.
	insert func(before, after, value string) string
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
	if tree, err = ev.walk(tree, true); err != nil {
		return nil, err
	}
	return encode(tree)
}

// insertInto has what expressions give fitted into the value of a key.
func (ev *evaluation) insertInto(key string) {
	if ev.env.Insert == nil {
		return
	}
	ev.insert = func(before, after, value string) string { return ev.env.Insert(key, before, after, value) }
}

func (ev *evaluation) walk(value any, top bool) (any, error) {
	var err error
	switch v := value.(type) {
	case string:
		return ev.template(v)
	case []any:
		for i := range v {
			if v[i], err = ev.walk(v[i], false); err != nil {
				return nil, at(err, fmt.Sprintf("[%d]", i))
			}
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if top {
				ev.insertInto(key)
			}
			if v[key], err = ev.walk(v[key], false); err != nil {
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
		return strings.Replace(s, strings.TrimSpace(s), ev.inserted(parts, slices.Index(parts, e), result.(string)), 1), nil
	}
	return ev.text(parts)
}

func (ev *evaluation) text(parts []part) (string, error) {
	var b strings.Builder
	for i, p := range parts {
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
		b.WriteString(ev.inserted(parts, i, s))
	}
	return b.String(), nil
}

// inserted is what the expression at i gave, as it stands in the text.
func (ev *evaluation) inserted(parts []part, i int, value string) string {
	if ev.insert == nil {
		return value
	}
	return ev.insert(literals(parts[:i]), literals(parts[i+1:]), value)
}

// literals is the text of a template's parts without its expressions.
func literals(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		if !p.expression {
			b.WriteString(p.text)
		}
	}
	return b.String()
}
