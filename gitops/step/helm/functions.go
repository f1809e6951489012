package helm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
	goyaml "sigs.k8s.io/yaml/goyaml.v3"
)

// left are functions of Sprig that the engine takes away or replaces.
var left = []string{"env", "expandenv", "getHostByName", "fail"}

// functionsOf are those that give values: Sprig's, Helm's that write values as
// text (https://helm.sh/docs/chart_template_guide/function_list/), and text/template's.
func functionsOf() map[string]any {
	all := sprig.TxtFuncMap()
	for _, name := range left {
		delete(all, name)
	}
	maps.Copy(all, map[string]any{
		"toYaml": quiet(toYAML), "mustToYaml": loud(toYAML), "toYamlPretty": quiet(toYAMLPretty),
		"toJson": quiet(toJSON), "mustToJson": loud(toJSON),
		"toToml": said(toTOML), "mustToToml": loud(toTOML),
		"print": fmt.Sprint, "printf": fmt.Sprintf, "println": fmt.Sprintln,
		"html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	})
	return all
}

type writer func(any) (string, error)

// quiet gives nothing on an error, said its text, and loud ends the rendering.
func quiet(write writer) func(any) string {
	return func(v any) string { text, _ := write(v); return text }
}

func said(write writer) func(any) string {
	return func(v any) string {
		text, err := write(v)
		if err != nil {
			return err.Error()
		}
		return text
	}
}

func loud(write writer) func(any) string {
	return func(v any) string {
		text, err := write(v)
		if err != nil {
			panic(err)
		}
		return text
	}
}

func toYAML(v any) (string, error) {
	raw, err := yaml.Marshal(v)
	return strings.TrimSuffix(string(raw), "\n"), err
}

func toYAMLPretty(v any) (string, error) {
	var out bytes.Buffer
	e := goyaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

func toJSON(v any) (string, error) {
	raw, err := json.Marshal(v)
	return string(raw), err
}

func toTOML(v any) (string, error) {
	var out bytes.Buffer
	err := toml.NewEncoder(&out).Encode(v)
	return out.String(), err
}

// wrapAll are all functions, metered, and those that instrument calls for.
func (m *meter) wrapAll() map[string]any {
	out := map[string]any{}
	for name, f := range functionsOf() {
		if slices.Contains(frugal, name) {
			continue // the engine has it as well
		}
		if out[name] = m.quick(name, f); out[name] == nil {
			out[name] = m.wrap(name, reflect.ValueOf(f))
		}
	}
	out[guardFunction] = m.guard
	out[guardedSource] = func(source any) any {
		if text, ok := source.(string); ok {
			return instrument(text)
		}
		return source
	}
	return out
}

// guard stands at the head of every body. It gives nothing.
func (m *meter) guard(dot any) (string, error) {
	if text, ok := dot.(string); ok && len(text) > maxValue {
		return "", m.fail(errTooLarge)
	}
	return "", m.check()
}

// changes are the functions that change a map that they are given.
var changes = []string{"set", "unset", "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite"}

// wrap is a function that looks at its bounds before and after. Its error ends
// the rendering, as a panic, for not all functions can give one.
func (m *meter) wrap(name string, f reflect.Value) any {
	call := f.Call
	if f.Type().IsVariadic() {
		call = f.CallSlice
	}
	before, changing := costs[name], slices.Contains(changes, name)
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		must(m.check())
		if before != nil {
			m.afford(name, before(m, args))
		}
		out := call(args)
		if changing {
			m.changed()
		}
		_, err := m.size(out[0].Interface())
		must(err)
		return out
	}).Interface()
}

// afford refuses a call whose value may become larger than the bound.
func (m *meter) afford(name string, units int) {
	if units < 0 || units > maxValue {
		must(m.fail(fmt.Errorf("%w (by %s)", errTooLarge, name)))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
