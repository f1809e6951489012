package helm

import (
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// costs say how large a function's value may become, for those whose value can
// be much larger than what they are given. They are asked before the call.
var costs = map[string]func(*meter, []reflect.Value) int{
	"repeat":    func(_ *meter, a []reflect.Value) int { return product(number(a[0]), length(a[1])) },
	"until":     func(_ *meter, a []reflect.Value) int { return product(number(a[0]), nodeUnits) },
	"untilStep": func(_ *meter, a []reflect.Value) int { return product(span(a), nodeUnits) },
	"seq":       func(_ *meter, a []reflect.Value) int { return product(span(elements(a[0])), nodeUnits) },
	"indent":    func(_ *meter, a []reflect.Value) int { return indented(a) },
	"nindent":   func(_ *meter, a []reflect.Value) int { return indented(a) },
	"replace":   func(_ *meter, a []reflect.Value) int { return product(length(a[1])+1, length(a[2])+1) },
	"wrapWith":  func(_ *meter, a []reflect.Value) int { return product(length(a[1])+1, length(a[2])+1) },
	"join":      func(_ *meter, a []reflect.Value) int { return product(length(a[0])+1, items(a[1])) },
	"randBytes": drawn, "randAlpha": drawn, "randNumeric": drawn, "randAlphaNum": drawn, "randAscii": drawn,
	"printf":          formatted,
	"regexReplaceAll": replaced, "mustRegexReplaceAll": replaced, "regexReplaceAllLiteral": replaced, "mustRegexReplaceAllLiteral": replaced,
	"toJson": escaped, "mustToJson": escaped, "toRawJson": escaped, "mustToRawJson": escaped, "toPrettyJson": escaped, "mustToPrettyJson": escaped,
	"toYaml": escaped, "mustToYaml": escaped, "toYamlPretty": escaped, "toToml": escaped, "mustToToml": escaped,
	"quote": escaped, "squote": escaped, "html": escaped, "js": escaped, "urlquery": escaped,
}

// product is a*b, or more than any bound.
func product(a, b int) int {
	if a > 0 && b > math.MaxInt/4/a {
		return math.MaxInt / 4
	}
	return max(a, 0) * max(b, 0)
}

// number reads an integer argument; what is none is left to the function.
func number(v reflect.Value) int {
	v = inner(v)
	switch {
	case v.CanInt():
		return int(v.Int())
	case v.CanUint():
		return int(min(v.Uint(), math.MaxInt))
	case v.CanFloat():
		return int(v.Float())
	case v.Kind() == reflect.String:
		n, _ := strconv.Atoi(v.String())
		return n
	}
	return 0
}

func inner(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

func length(v reflect.Value) int {
	if v = inner(v); v.Kind() == reflect.String {
		return v.Len()
	}
	return 0
}

func items(v reflect.Value) int {
	if v = inner(v); v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
		return v.Len()
	}
	return 1
}

// elements are the arguments of a variadic function.
func elements(v reflect.Value) []reflect.Value {
	out := make([]reflect.Value, v.Len())
	for i := range out {
		out[i] = v.Index(i)
	}
	return out
}

// span is how many numbers stand between the smallest and the largest argument;
// a step of more than one makes it fewer.
func span(a []reflect.Value) int {
	least, most := 0, 0
	for _, v := range a {
		least, most = min(least, number(v)), max(most, number(v))
	}
	if most > math.MaxInt/4 || least < -math.MaxInt/4 {
		return math.MaxInt / 4
	}
	return most - least
}

func indented(a []reflect.Value) int {
	text := inner(a[1])
	return length(text) + product(number(a[0]), strings.Count(text.String(), "\n")+2)
}

func drawn(_ *meter, a []reflect.Value) int { return number(a[0]) }

func replaced(_ *meter, a []reflect.Value) int { return product(length(a[1])+1, length(a[2])+1) }

// width is a number in a format, which pads to as many characters.
var width = regexp.MustCompile(`[0-9]+|\*`)

// formatted takes every verb for all arguments, and every width for its number.
func formatted(m *meter, a []reflect.Value) int {
	format, args := inner(a[0]).String(), 0
	for _, arg := range elements(a[1]) {
		n, err := m.size(arg.Interface())
		if err != nil {
			return math.MaxInt / 4
		}
		args += n
	}
	total := len(format) + product(strings.Count(format, "%"), args)
	for _, w := range width.FindAllString(format, -1) {
		n, err := strconv.Atoi(w)
		if err != nil { // a star, or a number beyond all bounds: fmt pads by a million at most
			n = 1e6
		}
		total += min(n, 1e6)
	}
	return total
}

// escaped is for functions that write all of a value, indented by its depth and
// with some characters as many.
func escaped(m *meter, a []reflect.Value) int {
	total := 0
	for _, arg := range a {
		n, err := m.size(arg.Interface())
		if err != nil {
			return math.MaxInt / 4
		}
		total += n
	}
	return total
}
