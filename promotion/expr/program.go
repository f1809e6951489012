package expr

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// run evaluates one expression. Its result is one that JSON can hold.
func (ev *evaluation) run(source string) (any, error) {
	ev.absent = ""
	program, err := ev.compile(source)
	if err != nil {
		return nil, err
	}
	machine := vm.VM{MemoryBudget: maxMemory}
	result, err := machine.Run(program, ev.scope)
	if err == nil {
		err = ev.budget.spend(result)
	}
	if err == nil {
		result, err = plain(result)
	}
	if err != nil {
		return nil, ev.explain(source, err)
	}
	return result, nil
}

// compile turns an expression into a guarded program.
func (ev *evaluation) compile(source string) (program *vm.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			program, err = nil, &Error{Expression: source, Message: "this expression cannot be read"}
		}
	}()
	if err := readable(source); err != nil {
		return nil, err
	}
	functions := ev.functions()
	if ev.document {
		functions = withoutPromotion(functions)
	}
	marks := newMarker()
	g := &guard{marks: marks, variables: ev.scope, functions: functions, document: ev.document}
	options := append(ev.options(functions), ev.variables(), expr.Patch(marks), expr.Patch(g))
	program, err = expr.Compile(source, options...)
	if g.unknown != nil {
		return nil, g.unknownName(source)
	}
	if err != nil {
		return nil, ev.explain(source, err)
	}
	return program, nil
}

// variables declares the names to the compiler. Those of a document are not: a
// key called len must not take the function's place.
func (ev *evaluation) variables() expr.Option {
	if ev.document {
		return expr.AllowUndefinedVariables()
	}
	return expr.Env(ev.scope)
}

// readable refuses what the parser should not even see.
func readable(source string) error {
	switch {
	case source == "":
		return &Error{Message: "the expression is empty", Hint: "write something between ${{ and }}"}
	case len(source) > maxExpression:
		return &Error{Expression: source, Message: fmt.Sprintf("the expression is longer than %d bytes", maxExpression)}
	}
	return nil
}

func (ev *evaluation) options(functions map[string]*function) []expr.Option {
	options := []expr.Option{expr.Optimize(false), expr.MaxNodes(maxNodes), expr.AsAny()}
	for name, f := range functions {
		options = append(options, expr.DisableBuiltin(name), expr.Function(name, f.call, f.types...))
	}
	return options
}

// unknownName is the error for a variable or function that does not exist.
func (g *guard) unknownName(source string) error {
	name, from := g.unknown.Value, g.unknown.Location().From
	e := &Error{Expression: source, Column: from + 1, Message: fmt.Sprintf("there is no %q", name)}
	known := append(sortedKeys(g.variables), sortedKeys(g.functions)...)
	known = slices.DeleteFunc(known, func(s string) bool { return strings.Contains(s, " ") })
	switch {
	case foreign[name] != "":
		e.Hint = foreign[name]
	case g.functions[name] != nil:
		e.Message, e.Hint = fmt.Sprintf("%q is a function", name), "add () to call it"
	case nearest(name, known) != "":
		e.Hint = fmt.Sprintf("did you mean %q?", nearest(name, known))
	case from > 0 && []rune(source)[from-1] == '-':
		e.Hint = "a name with a dash in it is written like outputs['open-pr']"
	default:
		e.Hint = "the variables are " + strings.Join(sortedKeys(g.variables), ", ")
	}
	return e
}

// foreign are names of Kargo that mean nothing here, and why.
var foreign = map[string]string{
	"task":            "it belongs to Kargo's promotion tasks; here every step's output is in outputs",
	"secret":          "it reads Kubernetes Secrets, which are not reachable from here",
	"sharedSecret":    "it reads Kubernetes Secrets, which are not reachable from here",
	"secrets":         "it reads Kubernetes Secrets, which are not reachable from here",
	"configMap":       "it reads Kubernetes ConfigMaps, which are not reachable from here; use vars",
	"sharedConfigMap": "it reads Kubernetes ConfigMaps, which are not reachable from here; use vars",
}

// explain puts what the library says into words that help.
func (ev *evaluation) explain(source string, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	e := &Error{Expression: source, Message: err.Error()}
	var located *file.Error
	if errors.As(err, &located) {
		e.Message, e.Column = located.Message, located.From+1
	}
	e.Message = inWords(e.Message)
	if ev.absent != "" && !strings.Contains(e.Message, ev.absent) {
		e.Hint = ev.absent
	}
	if strings.Contains(e.Message, "literal not terminated") {
		e.Hint = "if the expression itself holds }}, write ${% … %} around it"
	}
	return e
}

var conversion = regexp.MustCompile(`interface conversion: interface \{\} is (.+), not (.+)$`)

// inWords translates messages that speak of Go.
func inWords(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	if m := conversion.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("this takes %s, not %s", goType(m[2]), goType(m[1]))
	}
	if strings.HasPrefix(message, "reflect") || strings.HasPrefix(message, "runtime error") {
		return "this cannot be done with a value of that type"
	}
	return strings.NewReplacer("<nil>", "null", "map[string]interface {}", "object", "[]interface {}", "list").Replace(message)
}

func goType(name string) string {
	switch {
	case name == "nil":
		return "null"
	case name == "string":
		return "a string"
	case name == "bool":
		return "a boolean"
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "float"), name == "json.Number":
		return "a number"
	case strings.HasPrefix(name, "[]"):
		return "a list"
	}
	return "an object"
}
