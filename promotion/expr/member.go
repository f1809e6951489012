package expr

import (
	"fmt"
	"reflect"

	"github.com/expr-lang/expr/vm/runtime"
)

// member reads base.property or base[property]. In a namespace a missing name is
// an error, unless lenient; in other data it is null.
func (ev *evaluation) member(base, property any, lenient bool) (any, error) {
	name, named := property.(string)
	switch b := base.(type) {
	case nil:
		return ev.ofNothing(property, lenient)
	case namespace:
		if value, ok := b[name]; named && ok {
			return value, nil
		}
		ev.absent = missing(property, sortedKeys(b))
		if lenient {
			return nil, nil
		}
		return nil, fmt.Errorf("%s", ev.absent)
	case map[string]any:
		value, ok := b[name]
		if !ok || !named {
			ev.absent = missing(property, sortedKeys(b))
		}
		return value, nil
	}
	if v := reflect.ValueOf(base); named && v.Kind() == reflect.Struct {
		return ofStruct(v, name)
	}
	return ev.other(base, property)
}

func (ev *evaluation) ofNothing(property any, lenient bool) (any, error) {
	if lenient {
		return nil, nil
	}
	return nil, fmt.Errorf("%q cannot be read: what it should be in is null", fmt.Sprint(property))
}

// other reads from lists, text, and maps that functions made.
func (ev *evaluation) other(base, property any) (any, error) {
	v := reflect.ValueOf(base)
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.String:
		switch property.(type) {
		case int, float64:
		default:
			return nil, fmt.Errorf("%s has no %q: its elements have numbers", describe(base), fmt.Sprint(property))
		}
	case reflect.Map:
		if key := reflect.ValueOf(property); !key.IsValid() || !key.Type().AssignableTo(v.Type().Key()) {
			ev.absent = missing(property, nil)
			return nil, nil
		}
	default:
		return nil, fmt.Errorf("%s has no %q", describe(base), fmt.Sprint(property))
	}
	return runtime.Fetch(base, property), nil
}

// ofStruct reads a field or a method of one of our records.
func ofStruct(v reflect.Value, name string) (any, error) {
	if m := v.MethodByName(name); m.IsValid() {
		return m.Interface(), nil
	}
	var known []string
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			known = append(known, f.Name)
		}
	}
	for i := range v.NumMethod() {
		known = append(known, v.Type().Method(i).Name)
	}
	if f := v.FieldByName(name); f.IsValid() && f.CanInterface() {
		return f.Interface(), nil
	}
	return nil, fmt.Errorf("%s", missing(name, known))
}

// missing says that a name does not exist, and which one may be meant.
func missing(property any, known []string) string {
	name := fmt.Sprint(property)
	text := fmt.Sprintf("there is no %q", name)
	if close := nearest(name, known); close != "" {
		return text + fmt.Sprintf(" (did you mean %q?)", close)
	}
	return text + list(known)
}

// list shows names, unless they are many.
func list(names []string) string {
	const most = 12
	if len(names) == 0 || len(names) > most {
		return ""
	}
	text := " (there is "
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += name
	}
	return text + ")"
}
