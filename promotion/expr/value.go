package expr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// decodeLiteral reads one JSON value, numbers as their text.
func decodeLiteral(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("the value is not valid JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("the value is not valid JSON: something follows it")
	}
	return value, nil
}

// decode reads one JSON value in the types that expressions compute with.
func decode(raw json.RawMessage) (any, error) {
	value, err := decodeLiteral(raw)
	if err != nil {
		return nil, err
	}
	return numbers(value), nil
}

// numbers gives numbers their Go types: int, or float64 for what was written
// with a point or an exponent. What fits neither stays text that is only passed on.
func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if i, err := strconv.Atoi(v.String()); err == nil {
			return i
		}
		if f, err := v.Float64(); err == nil && !isInteger(v.String()) {
			return f
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = numbers(v[key])
		}
	}
	return value
}

func isInteger(s string) bool {
	return !bytes.ContainsAny([]byte(s), ".eE")
}

// encode writes a value as JSON, on one line, map keys sorted.
func encode(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("the value cannot be written as JSON: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// plain turns the result of an expression into what JSON can hold.
func plain(value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, string, json.Number, int:
		return v, nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	case time.Duration, time.Month, time.Weekday:
		return fmt.Sprint(v), nil
	case version:
		return v.String(), nil
	case origin, commit, image, chart:
		return asMembers(v)
	}
	return plainKind(reflect.ValueOf(value))
}

func plainKind(v reflect.Value) (any, error) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			return nil, fmt.Errorf("the result is no number that can be written (%v)", v.Float())
		}
		return v.Interface(), nil
	case reflect.Func:
		return nil, fmt.Errorf("the result is a function; add () to call it")
	case reflect.Slice, reflect.Array:
		out := make([]any, v.Len())
		for i := range out {
			item, err := plain(v.Index(i).Interface())
			if err != nil {
				return nil, err
			}
			out[i] = item
		}
		return out, nil
	case reflect.Map:
		return plainMap(v)
	case reflect.Struct, reflect.Pointer, reflect.Chan:
		return nil, fmt.Errorf("the result is a %s, which cannot be written", v.Type())
	}
	return v.Interface(), nil
}

func plainMap(v reflect.Value) (any, error) {
	out := make(map[string]any, v.Len())
	for it := v.MapRange(); it.Next(); {
		item, err := plain(it.Value().Interface())
		if err != nil {
			return nil, err
		}
		out[fmt.Sprint(it.Key().Interface())] = item
	}
	return out, nil
}

// asMembers reads one of our records as its JSON object.
func asMembers(record any) (any, error) {
	raw, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	return decode(raw)
}

// textOf writes a plain value as text: strings as they are, all else as JSON.
func textOf(value any) (string, error) {
	if s, ok := value.(string); ok {
		return s, nil
	}
	raw, err := encode(value)
	return string(raw), err
}

// describe names the type of a value for people.
func describe(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case int, float64, json.Number:
		return "a number"
	}
	switch reflect.ValueOf(value).Kind() {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Func:
		return "a function"
	}
	return "an object"
}

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }
