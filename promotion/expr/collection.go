package expr

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// elements are the elements of a list of any type.
func elements(value any) ([]any, error) {
	if list, ok := value.([]any); ok {
		return list, nil
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return nil, fmt.Errorf("this takes a list, not %s", describe(value))
	}
	out := make([]any, v.Len())
	for i := range out {
		out[i] = v.Index(i).Interface()
	}
	return out, nil
}

// pair is a member of an object.
type pair struct{ key, value any }

// pairs are the members of an object in the order of their keys, so that what
// is made of them is the same in every run.
func pairs(function string, value any) ([]pair, error) {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Map {
		return nil, fmt.Errorf("%s takes an object, not %s", function, describe(value))
	}
	var out []pair
	for it := v.MapRange(); it.Next(); {
		out = append(out, pair{it.Key().Interface(), it.Value().Interface()})
	}
	slices.SortFunc(out, func(a, b pair) int { return cmp.Compare(fmt.Sprint(a.key), fmt.Sprint(b.key)) })
	return out, nil
}

func keys(args ...any) (any, error) {
	members, err := pairs("keys", args[0])
	return collect(members, func(p pair) any { return p.key }), err
}

func values(args ...any) (any, error) {
	members, err := pairs("values", args[0])
	return collect(members, func(p pair) any { return p.value }), err
}

func toPairs(args ...any) (any, error) {
	members, err := pairs("toPairs", args[0])
	return collect(members, func(p pair) any { return []any{p.key, p.value} }), err
}

func collect(members []pair, of func(pair) any) []any {
	out := make([]any, len(members))
	for i, p := range members {
		out[i] = of(p)
	}
	return out
}
