package helm

import "reflect"

// frugal are functions whose value is never much larger than what they are given,
// also of what they gave before, and which take no longer than to read that. They
// need no meter: what they are given was metered, and loops have guards.
var frugal = []string{
	"default", "empty", "ternary", "contains", "hasPrefix", "hasSuffix", "trunc", "trim", "trimAll", "trimSuffix", "trimPrefix",
	"lower", "kindOf", "kindIs", "typeOf", "typeIs", "hasKey", "get", "int", "int64", "float64", "add", "add1", "sub", "mul", "div", "mod",
	"max", "min", "sha256sum", "sha1sum", "adler32sum", "semverCompare",
}

// quick is wrap for functions of the usual types: with reflection a call would take
// longer than what most of them do. It is nil for others.
func (m *meter) quick(name string, f any) any {
	before := costs[name]
	enter := func(args ...any) { m.enter(name, before, args) }
	switch f := f.(type) {
	case func(string) string:
		return func(a string) string { enter(a); return m.text(f(a)) }
	case func(string, string) string:
		return func(a, b string) string { enter(a, b); return m.text(f(a, b)) }
	case func(int, string) string:
		return func(a int, b string) string { enter(a, b); return m.text(f(a, b)) }
	case func(any) string:
		return func(a any) string { enter(a); return m.text(f(a)) }
	case func(...any) string:
		return func(a ...any) string { enter(a); return m.text(f(a...)) }
	case func(string, ...any) string:
		return func(a string, b ...any) string { enter(a, b); return m.text(f(a, b...)) }
	}
	return nil
}

// enter looks at the bounds before a call. Its error is a panic, see wrap.
func (m *meter) enter(name string, cost func(*meter, []reflect.Value) int, args []any) {
	must(m.check())
	if cost == nil {
		return
	}
	values := make([]reflect.Value, len(args))
	for i := range args {
		if values[i] = reflect.ValueOf(args[i]); args[i] == nil {
			values[i] = reflect.ValueOf(&args[i]).Elem() // null is a value too
		}
	}
	m.afford(name, cost(m, values))
}

// text looks at a text that was made.
func (m *meter) text(s string) string {
	if nodeUnits+len(s) > maxValue {
		must(m.fail(errTooLarge))
	}
	return s
}
